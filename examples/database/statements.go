package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Statements that pgx sends as one text, without arguments, are one transaction:
// all of them happen, or none.

// createRole makes the role with its mark. The administrator becomes a member of it: who is no
// superuser may give a database only to a role that they could be themselves.
func (s *session) createRole(ctx context.Context, role string) error {
	verifier, err := s.secret.verifier(s.mark)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, fmt.Sprintf(`CREATE ROLE %[1]s LOGIN PASSWORD %[2]s; COMMENT ON ROLE %[1]s IS %[3]s; GRANT %[1]s TO CURRENT_USER`,
		quote(role), literal(verifier), literal(s.mark)))
	if exists(err) {
		return cfnresource.AlreadyExists("the role " + role)
	}
	if err != nil {
		return coded(err)
	}
	s.role = role
	return nil
}

// createDatabase makes the database, in no transaction, since there is none in which it could be
// made. template0 is empty, so that what is found in the database later was put there by somebody.
func (s *session) createDatabase(ctx context.Context) error {
	_, err := s.Exec(ctx, fmt.Sprintf(`CREATE DATABASE %s OWNER %s TEMPLATE template0`, quote(s.name), quote(s.role)))
	if err != nil {
		return coded(err)
	}
	s.owner = s.role
	return nil
}

// settle brings role and database to the properties. The password is derived, and so is the form in
// which the server keeps it: setting it again changes nothing.
func (s *session) settle(ctx context.Context, p Props) error {
	verifier, err := s.secret.verifier(s.mark)
	if err != nil {
		return err
	}
	var rename string
	role := s.role
	if p.Owner != "" && p.Owner != role { // empty where a rollback's properties cannot be read
		role = p.Owner
		rename = fmt.Sprintf(`ALTER ROLE %s RENAME TO %s; `, quote(s.role), quote(role))
	}
	limit := -1
	if p.ConnectionLimit > 0 {
		limit = p.ConnectionLimit
	}
	_, err = s.Exec(ctx, rename+fmt.Sprintf(`ALTER ROLE %[1]s LOGIN PASSWORD %[2]s; ALTER DATABASE %[3]s CONNECTION LIMIT %[4]d; REVOKE ALL ON DATABASE %[3]s FROM PUBLIC`,
		quote(role), literal(verifier), quote(s.name), limit))
	if err != nil {
		return coded(err)
	}
	s.role, s.owner = role, role
	return nil
}

// holdsData reports whether there is anything in the database that somebody
// made: a relation whose number is none of the server's own, or a large object.
func (s *session) holdsData(ctx context.Context) (holds bool, err error) {
	inside, err := s.server.dial(ctx, s.secret, s.name)
	if err != nil {
		return false, err
	}
	defer func() { _ = inside.Close(context.WithoutCancel(ctx)) }()
	err = inside.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class WHERE oid >= 16384) OR EXISTS (SELECT FROM pg_largeobject_metadata)`).Scan(&holds)
	return holds, coded(err)
}

// dropDatabase drops the database. Without force it fails as long as anybody is connected, and with
// force as long as somebody is whose session the administrator may not end: that can also be
// PostgreSQL itself, which cleans up. The dispatcher then tries again.
func (s *session) dropDatabase(ctx context.Context, force bool) error {
	statement := `DROP DATABASE ` + quote(s.name)
	if force {
		statement += ` WITH (FORCE)`
	}
	_, err := s.Exec(ctx, statement)
	if err = coded(err); force && cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied {
		err = cfnresource.Errorf(cfnresource.CodeResourceConflict, "the database %s is in use: %w", s.name, err)
	}
	return err
}

// dropRole fails if the role was given anything outside of its database, and says what.
func (s *session) dropRole(ctx context.Context) error {
	_, err := s.Exec(ctx, `DROP ROLE `+quote(s.role))
	return coded(err)
}

// taken is the error for a database that cannot be had. If it is this resource's
// own after all, the dispatcher finds it again and goes on with that; if it is
// somebody else's, the error says how they hand it over.
func (s *session) taken() error {
	err := cfnresource.AlreadyExists(s.name)
	switch {
	case s.role == "":
		return fmt.Errorf("%w; to hand it over, run COMMENT ON ROLE %s IS %s", err, quote(s.owner), literal(s.mark))
	case s.owner != "" && s.owner != s.role:
		return fmt.Errorf("%w; to hand it over, run ALTER DATABASE %s OWNER TO %s", err, quote(s.name), quote(s.role))
	}
	return err
}

func (s *session) data() Data {
	return Data{Host: s.secret.Host, Port: s.secret.Port, Username: s.role, Password: s.secret.password(s.mark)}
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// literal quotes any text, whatever the server's standard_conforming_strings is.
func literal(text string) string {
	text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, `\`) {
		return " E" + strings.ReplaceAll(text, `\`, `\\`) // the space keeps it apart from a word before it
	}
	return text
}
