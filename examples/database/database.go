package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/lifecycle"
)

type Props struct {
	_ struct{} `doc:"A database of a PostgreSQL server, and the role that owns it."`

	Name            string `cfn:"createOnly,required" doc:"The database's name. Another name is another database."`
	Owner           string `cfn:"required" doc:"The role that owns it. Another name renames the role."`
	ConnectionLimit int    `doc:"How many connections there may be at once. Zero is no limit."`
}

// Validate is called before anything is made or changed. PostgreSQL itself
// would cut a name that is too long, and use what is left.
func (p Props) Validate() error {
	for property, name := range map[string]string{"Name": p.Name, "Owner": p.Owner} {
		if len(name) == 0 || len(name) > 63 || strings.ContainsRune(name, 0) {
			return fmt.Errorf("%s is not of 1 to 63 bytes", property)
		}
	}
	if p.ConnectionLimit < 0 {
		return errors.New("ConnectionLimit is negative: leave it out for no limit")
	}
	return nil
}

// Data is what a client needs to connect.
type Data struct {
	Host     string `doc:"The server's host."`
	Port     int    `doc:"The server's port."`
	Username string `doc:"The owner's name."`
	Password string `cfn:"secret" doc:"The owner's password."`
}

// A Database manages databases of one PostgreSQL server, each with a role that
// owns it. The physical ID is the database's name, which the template chooses.
//
// The role is made before the database and removed after it, and its comment is
// this resource's mark. So from the first statement to the last there is proof
// of whose both are: the role is ours by its mark, the database by its owner.
type Database struct{ server *server }

func (d *Database) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	p := req.Properties
	s, err := d.open(ctx, req.Request, p.Name)
	if err != nil {
		return Data{}, err
	}
	defer s.close(ctx)
	if s.role != "" || s.owner != "" {
		return Data{}, s.taken() // by another delivery of this Create, or by a stranger
	}
	if err := s.createRole(ctx, p.Owner); err != nil {
		return Data{}, err
	}
	req.Created(p.Name) // half of it: if the Create fails from here on, it is deleted
	if err := s.createDatabase(ctx); err != nil {
		return Data{}, err
	}
	if err := s.settle(ctx, p); err != nil {
		return Data{}, err
	}
	return s.data(), nil
}

func (d *Database) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	if req.IdentityChanged && req.Properties.Name != req.PhysicalID { // else it is the way back from this error
		return Data{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "the database %s is not marked as this resource's, and is not renamed", req.PhysicalID)
	}
	data, err := d.change(ctx, req)
	if err != nil {
		return Data{}, err
	}
	// The way back from a replacement whose process died, or was cancelled: what
	// there is of the new database is nobody's.
	if other := req.OldProperties.Name; other != "" && other != req.PhysicalID && req.Phase(ctx) == lifecycle.PhaseUpdateRollback {
		if err := d.remove(ctx, req.Request, other); err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
			slog.WarnContext(ctx, "a replacement that was rolled back may have left a database or a role",
				slog.Any("request", req), slog.String("database", other), slog.Any("error", err))
		}
	}
	return data, nil
}

// change brings what there is to the properties. What is missing is made only if
// the dispatcher found a Create's work that is not complete: an empty database
// in the place of a lost one would be noticed too late.
func (d *Database) change(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	name := req.PhysicalID
	s, err := d.open(ctx, req.Request, name)
	if err != nil {
		return Data{}, err
	}
	defer s.close(ctx)
	switch {
	case s.owner != "" && s.owner != s.role:
		return Data{}, s.taken()
	case s.owner == "" && (s.role == "" || !req.Adopted):
		return Data{}, cfnresource.Errorf(cfnresource.CodeNotFound, "the database %s is gone: "+
			"restore it from a backup, with its owner, or take the resource out of the template", name)
	case s.owner == "":
		if err := s.createDatabase(ctx); err != nil {
			return Data{}, err
		}
	}
	if err := s.settle(ctx, req.Properties); err != nil {
		return Data{}, err
	}
	return s.data(), nil
}

func (d *Database) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return d.remove(ctx, req.Request, req.PhysicalID)
}

// remove removes what there is of the database that bears the name, and is ours.
func (d *Database) remove(ctx context.Context, r cfnresource.Request, name string) error {
	s, err := d.open(ctx, r, name)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	if s.role == "" {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "no role is marked as the owner of the database %s", name)
	}
	if s.owner == s.role {
		if kept, err := drop(ctx, s, r); kept || err != nil {
			return err
		}
	}
	return s.dropRole(ctx)
}

// drop removes the database, unless it holds data and nobody asked for that to be deleted: a stack
// that rolls back, because anything in it failed, is no such wish.
func drop(ctx context.Context, s *session, r cfnresource.Request) (kept bool, err error) {
	phase := r.Phase(ctx)
	switch phase {
	case lifecycle.PhaseDeleting, lifecycle.PhaseRemoval, lifecycle.PhaseReplacementCleanup:
		return false, s.dropDatabase(ctx, true)
	}
	holds, err := s.holdsData(ctx)
	if err != nil {
		return false, err
	}
	if !holds {
		return false, s.dropDatabase(ctx, false)
	}
	switch phase {
	case lifecycle.PhaseUnknown, lifecycle.PhaseNotAwaited, lifecycle.PhaseGivenUp:
		return false, fmt.Errorf("the database %s holds data, and the stack's status does not say why it is to be deleted: "+
			"allow the function cloudformation:DescribeStacks, or keep it with a DeletionPolicy", s.name)
	}
	slog.WarnContext(ctx, "the database holds data and is kept, with its owner, although the stack rolls back",
		slog.Any("request", r), slog.String("database", s.name), slog.String("phase", string(phase)))
	return true, nil
}

// Find implements [cfnresource.Finder]. The name is the template's, so there is
// nothing to search; and it alone is no proof.
func (d *Database) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	name := req.Properties.Name
	s, err := d.open(ctx, req.Request, name)
	if err != nil {
		return "", err
	}
	defer s.close(ctx)
	if s.role == "" {
		return "", nil
	}
	return name, nil
}

// open begins work on a database. Its mark follows from its name alone, which is
// the physical ID: the properties of a Delete may be unreadable.
func (d *Database) open(ctx context.Context, r cfnresource.Request, name string) (*session, error) {
	return d.server.open(ctx, name, r.StableIDOf(name))
}
