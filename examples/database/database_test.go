package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
)

func (b *bed) orders() Props { return Props{Name: b.prefix + "orders", Owner: b.prefix + "app"} }
func (b *bed) returns() Props {
	return Props{Name: b.prefix + "returns", Owner: b.prefix + "returns_app"}
}

// taken is a role of somebody else's.
func (b *bed) taken() string { return b.prefix + "taken" }

// create makes a database and returns the answer.
func (b *bed) create(p Props) cfntest.Response {
	b.t.Helper()
	created := cfntest.Invoke(b.t, b.function(lifecycle.PhaseCreating), cfntest.CreateEvent(p))
	if created.Status != "SUCCESS" {
		b.t.Fatalf("Create answered %+v", created)
	}
	return created
}

// nothing checks that nothing is left.
func (b *bed) nothing() {
	b.t.Helper()
	if left := b.list(); len(left) != 0 {
		b.t.Errorf("there are %v, want nothing", left)
	}
}

func TestLifeOfADatabase(t *testing.T) {
	// Made: the owner can work in it.
	b := newBed(t)
	p := b.orders()
	created := b.create(p)
	if created.PhysicalResourceID != p.Name || !created.NoEcho {
		t.Errorf("Create answered %+v", created)
	}
	want := made{Owner: p.Owner, Limit: -1, Marked: true, Closed: true}
	if diff := cmp.Diff(want, b.state(p.Name)); diff != "" {
		t.Errorf("Create made (-want +got):\n%s", diff)
	}
	owner, err := b.login(p.Name, created.Data)
	if err != nil {
		t.Fatalf("the owner cannot connect with its password: %v", err)
	}
	defer owner.Close(context.Background())
	if _, err := owner.Exec(t.Context(), `CREATE TABLE orders (id int)`); err != nil {
		t.Errorf("the owner makes no table: %v", err)
	}

	// In place: the role is renamed, so that it owns what it owned.
	changed := p
	changed.Owner, changed.ConnectionLimit = b.prefix+"web", 7
	updated := cfntest.Invoke(t, b.function(lifecycle.PhaseUpdating), cfntest.UpdateEvent(p.Name, changed, p))
	if updated.Status != "SUCCESS" || updated.PhysicalResourceID != p.Name || updated.Data["Username"] != changed.Owner || updated.Data["Password"] != created.Data["Password"] {
		t.Errorf("Update answered %+v", updated)
	}
	want.Owner, want.Limit, want.Used = changed.Owner, 7, true
	if diff := cmp.Diff(want, b.state(p.Name)); diff != "" {
		t.Errorf("Update made (-want +got):\n%s", diff)
	}
	renamed, err := b.login(p.Name, updated.Data)
	if err != nil {
		t.Fatalf("the renamed owner cannot connect: %v", err)
	}
	defer renamed.Close(context.Background())
	if _, err := renamed.Exec(t.Context(), `DROP TABLE orders; CREATE TABLE more (id int)`); err != nil {
		t.Errorf("the renamed owner does not own its table: %v", err)
	}

	// A stack that is deleted takes its database along, in use or not.
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		deleted := cfntest.InvokeContext(ctx, t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(p.Name, changed))
		cancel()
		if deleted.Status != "SUCCESS" {
			t.Errorf("Delete answered %+v", deleted)
		}
		b.nothing()
	}
}

func TestADeliveryTwiceAndAnUnrelatedUpdateLeaveThePasswordAlone(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	event := cfntest.CreateEvent(p)
	first := cfntest.Invoke(t, b.function(""), event)
	client, err := b.login(p.Name, first.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	second := cfntest.Invoke(t, b.function(""), event) // another process
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("answers (-first +second):\n%s", diff)
	}
	limited := p
	limited.ConnectionLimit = 3
	third := cfntest.Invoke(t, b.function(""), cfntest.UpdateEvent(p.Name, limited, p))
	if diff := cmp.Diff(first.Data, third.Data); diff != "" {
		t.Errorf("an unrelated update changed the Data (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff([]string{p.Name}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
}

func TestTwoCreatesAtOnceMakeOneDatabase(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	event := cfntest.CreateEvent(p)
	answers := make([]cfntest.Response, 4)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = cfntest.Invoke(t, b.function(""), event) })
	}
	wg.Wait()
	for _, a := range answers {
		if a.Status != "SUCCESS" {
			t.Errorf("answered %+v", a)
		}
		if diff := cmp.Diff(answers[0], a); diff != "" {
			t.Errorf("answers (-first +other):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]string{p.Name}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
}

func TestAnotherNameIsAnotherDatabaseAndTheWayBackLeadsToTheFirst(t *testing.T) {
	b := newBed(t)
	orders, returns := b.orders(), b.returns()
	first := b.create(orders)
	b.runIn(orders.Name, `CREATE TABLE kept (id int)`)

	second := cfntest.Invoke(t, b.function(lifecycle.PhaseUpdating), cfntest.UpdateEvent(orders.Name, returns, orders))
	if second.PhysicalResourceID != returns.Name || second.Data["Password"] == first.Data["Password"] {
		t.Fatalf("the replacement answered %+v", second)
	}
	back := cfntest.Invoke(t, b.function(lifecycle.PhaseUpdateRollback), cfntest.UpdateEvent(returns.Name, orders, returns))
	if diff := cmp.Diff(first.Data, back.Data); diff != "" || back.PhysicalResourceID != orders.Name {
		t.Fatalf("the rollback answered %+v; Data (-before +after):\n%s", back, diff)
	}
	cfntest.Invoke(t, b.function(lifecycle.PhaseUpdateRollbackCleanup), cfntest.DeleteEvent(returns.Name, returns))
	if diff := cmp.Diff([]string{orders.Name}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
}

// The new database needs an owner of its own: the old one's is in use until the
// cleanup, and its password stays what it is.
func TestAReplacementWithTheSameOwnerIsRefused(t *testing.T) {
	b := newBed(t)
	orders, same := b.orders(), b.returns()
	same.Owner = orders.Owner
	created := b.create(orders)
	updated := cfntest.Invoke(t, b.function(lifecycle.PhaseUpdating), cfntest.UpdateEvent(orders.Name, same, orders))
	if updated.Status != "FAILED" || updated.PhysicalResourceID != orders.Name || !strings.Contains(updated.Reason, "the role "+orders.Owner) {
		t.Errorf("Update answered %+v", updated)
	}
	if diff := cmp.Diff([]string{orders.Name}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
	if c, err := b.login(orders.Name, created.Data); err != nil {
		t.Error(err)
	} else {
		_ = c.Close(context.Background())
	}
}

// Strangers' databases and roles are never touched, whatever bears whose name.
func TestStrangers(t *testing.T) {
	t.Run("database", func(t *testing.T) {
		b := newBed(t)
		p := b.orders()
		b.run(`CREATE DATABASE ` + p.Name)
		before := b.state(p.Name)
		created := cfntest.Invoke(t, b.function(""), cfntest.CreateEvent(p))
		if created.Status != "FAILED" || created.PhysicalResourceID == p.Name || !strings.Contains(created.Reason, p.Name+" already exists") || !strings.Contains(created.Reason, "COMMENT ON ROLE") {
			t.Errorf("Create answered %+v", created)
		}
		for _, id := range []string{created.PhysicalResourceID, p.Name} {
			if deleted := cfntest.Invoke(t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(id, p)); deleted.Status != "SUCCESS" {
				t.Errorf("Delete of %s answered %+v", id, deleted)
			}
		}
		if diff := cmp.Diff(before, b.state(p.Name)); diff != "" || len(b.roles()) != 0 {
			t.Errorf("the stranger's database (-before +after):\n%s; roles %v", diff, b.roles())
		}
	})
	t.Run("role", func(t *testing.T) {
		b := newBed(t)
		p := b.orders()
		b.run(`CREATE ROLE ` + p.Owner)
		created := cfntest.Invoke(t, b.function(""), cfntest.CreateEvent(p))
		if created.Status != "FAILED" || !strings.Contains(created.Reason, "the role "+p.Owner+" already exists") {
			t.Errorf("Create answered %+v", created)
		}
		cfntest.Invoke(t, b.function(lifecycle.PhaseCreateRollback), cfntest.DeleteEvent(created.PhysicalResourceID, p))
		if diff := cmp.Diff([]string{"role " + p.Owner}, b.list()); diff != "" {
			t.Errorf("there are (-want +got):\n%s", diff)
		}
	})
	t.Run("role in an update", func(t *testing.T) {
		b := newBed(t)
		p := b.orders()
		b.create(p)
		changed := p
		changed.Owner = b.prefix + "taken"
		b.run(`CREATE ROLE ` + changed.Owner)
		before := b.state(p.Name)
		updated := cfntest.Invoke(t, b.function(""), cfntest.UpdateEvent(p.Name, changed, p))
		if updated.Status != "FAILED" || updated.PhysicalResourceID != p.Name {
			t.Errorf("Update answered %+v", updated)
		}
		if diff := cmp.Diff(before, b.state(p.Name)); diff != "" {
			t.Errorf("the database (-before +after):\n%s", diff)
		}
	})
	t.Run("database of another resource of the stack", func(t *testing.T) {
		b := newBed(t)
		p := b.orders()
		b.create(p)
		other := p
		other.Owner = b.prefix + "other"
		created := cfntest.Invoke(t, b.function(""), cfntest.CreateEvent(other, func(e *cfntest.Event) { e.LogicalID = "Other" }))
		deleted := cfntest.Invoke(t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(p.Name, p, func(e *cfntest.Event) { e.LogicalID = "Other" }))
		if created.Status != "FAILED" || deleted.Status != "SUCCESS" || b.state(p.Name) == nil || has(b.roles(), other.Owner) {
			t.Errorf("answered %+v and %+v, there are %v and %v", created, deleted, b.databases(), b.roles())
		}
	})
	t.Run("database that was given to somebody else", func(t *testing.T) {
		b := newBed(t)
		p := b.orders()
		b.create(p)
		b.run(`ALTER DATABASE ` + p.Name + ` OWNER TO CURRENT_USER`)
		updated := cfntest.Invoke(t, b.function(""), cfntest.UpdateEvent(p.Name, p, p))
		if updated.Status != "FAILED" || !strings.Contains(updated.Reason, "ALTER DATABASE") {
			t.Errorf("Update answered %+v", updated)
		}
		b.run(`REVOKE ALL ON DATABASE ` + p.Name + ` FROM ` + p.Owner) // what it was granted as the owner
		deleted := cfntest.Invoke(t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(p.Name, p))
		if deleted.Status != "SUCCESS" || b.state(p.Name) == nil || len(b.roles()) != 0 {
			t.Errorf("Delete answered %+v, there are %v and %v", deleted, b.databases(), b.roles())
		}
	})
}

// A database of before, or one that its stack's deletion retained, becomes the
// resource's by the statement in the refusal.
func TestHandingOver(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.run(`CREATE ROLE `+p.Owner, `GRANT `+p.Owner+` TO CURRENT_USER`, `CREATE DATABASE `+p.Name+` OWNER `+p.Owner)
	refused := cfntest.Invoke(t, b.function(""), cfntest.CreateEvent(p))
	_, statement, found := strings.Cut(refused.Reason, "run COMMENT")
	if !found {
		t.Fatalf("Create answered %+v", refused)
	}
	statement, _, _ = strings.Cut(statement, " (")
	b.run(`COMMENT` + statement)
	owner, err := b.login(p.Name, b.create(p).Data)
	if err != nil {
		t.Fatal(err)
	}
	_ = owner.Close(context.Background())
}

// Whatever statement was the last, the next delivery finishes what there is, and
// a Delete removes it.
func TestHalfMade(t *testing.T) {
	half := func(t *testing.T) (*bed, Props) {
		b := newBed(t)
		p := b.orders()
		m := cfnresource.Request{StackID: stackID, LogicalID: "MyResource"}.StableIDOf(p.Name)
		b.run(`CREATE ROLE `+p.Owner, `GRANT `+p.Owner+` TO CURRENT_USER`, `COMMENT ON ROLE `+p.Owner+` IS '`+m+`'`)
		return b, p
	}
	t.Run("role only, created again", func(t *testing.T) {
		b, p := half(t)
		b.create(p)
		if diff := cmp.Diff(made{Owner: p.Owner, Limit: -1, Marked: true, Closed: true}, b.state(p.Name)); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
	})
	t.Run("role only, deleted", func(t *testing.T) {
		b, p := half(t)
		for _, id := range []string{b.stable(p), p.Name} {
			if deleted := cfntest.Invoke(t, b.function(""), cfntest.DeleteEvent(id, p)); deleted.Status != "SUCCESS" {
				t.Errorf("Delete of %s answered %+v", id, deleted)
			}
			b.nothing()
		}
	})
	t.Run("role, and then a stranger took the database's name", func(t *testing.T) {
		b, p := half(t)
		b.run(`CREATE DATABASE ` + p.Name)
		created := cfntest.Invoke(t, b.function(""), cfntest.CreateEvent(p))
		if created.Status != "FAILED" {
			t.Errorf("Create answered %+v", created)
		}
		cfntest.Invoke(t, b.function(lifecycle.PhaseCreateRollback), cfntest.DeleteEvent(created.PhysicalResourceID, p))
		if b.state(p.Name) == nil || len(b.roles()) != 0 {
			t.Errorf("there are %v and %v", b.databases(), b.roles())
		}
	})
	t.Run("database open to all", func(t *testing.T) {
		b, p := half(t)
		b.run(`CREATE DATABASE ` + p.Name + ` OWNER ` + p.Owner)
		b.create(p)
		if diff := cmp.Diff(made{Owner: p.Owner, Limit: -1, Marked: true, Closed: true}, b.state(p.Name)); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
	})
}

// What happens to a database by why it is to be deleted, and what is in it.
func TestDataOutlivesARollback(t *testing.T) {
	for _, tc := range []struct {
		phase  lifecycle.Phase
		data   bool
		status string
		kept   bool
	}{
		{lifecycle.PhaseDeleting, true, "SUCCESS", false},
		{lifecycle.PhaseRemoval, true, "SUCCESS", false},
		{lifecycle.PhaseReplacementCleanup, true, "SUCCESS", false},
		{lifecycle.PhaseCreateRollback, true, "SUCCESS", true},
		{lifecycle.PhaseUpdateRollbackCleanup, true, "SUCCESS", true},
		{lifecycle.PhaseUpdating, true, "SUCCESS", true},
		{lifecycle.PhaseUnknown, true, "FAILED", true},
		{lifecycle.PhaseCreateRollback, false, "SUCCESS", false},
		{lifecycle.PhaseUpdateRollbackCleanup, false, "SUCCESS", false},
		{lifecycle.PhaseUnknown, false, "SUCCESS", false},
	} {
		name := string(tc.phase)
		if tc.data {
			name += " with data"
		}
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			p := b.orders()
			created := b.create(p)
			if tc.data {
				b.runIn(p.Name, `CREATE TABLE kept (id int)`)
			}
			deleted := cfntest.Invoke(t, b.function(tc.phase), cfntest.DeleteEvent(p.Name, p))
			if deleted.Status != tc.status {
				t.Errorf("Delete answered %+v, want %s", deleted, tc.status)
			}
			if !tc.kept {
				b.nothing()
				return
			}
			c, err := b.login(p.Name, created.Data)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close(context.Background())
			if _, err := c.Exec(t.Context(), `SELECT 'kept'::regclass`); err != nil {
				t.Error(err)
			}
			// The next deployment has it back.
			if diff := cmp.Diff(created.Data, b.create(p).Data); diff != "" {
				t.Errorf("Data (-before +after):\n%s", diff)
			}
		})
	}
}

// Views and functions are no data, but somebody's work; large objects are in no table.
func TestWhatCountsAsData(t *testing.T) {
	for _, statement := range []string{
		`CREATE VIEW v AS SELECT 1`, `CREATE SEQUENCE s`, `SELECT lo_create(0)`, `CREATE SCHEMA s; CREATE TABLE s.t (id int)`,
	} {
		b := newBed(t)
		p := b.orders()
		created := b.create(p)
		owner, err := b.login(p.Name, created.Data)
		if err != nil {
			t.Fatal(err)
		}
		_, err = owner.Exec(t.Context(), statement)
		_ = owner.Close(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		cfntest.Invoke(t, b.function(lifecycle.PhaseCreateRollback), cfntest.DeleteEvent(p.Name, p))
		if b.state(p.Name) == nil {
			t.Errorf("a database with %s was dropped in a rollback", statement)
		}
	}
}

// A handler's methods can be tested without any event: a request is a struct.
func TestCreateNamesTheRoleAndNothingBefore(t *testing.T) {
	for statement, made := range map[string]bool{"CREATE ROLE": false, "CREATE DATABASE": true, "ALTER ROLE": true} {
		b := newBed(t)
		s := b.server()
		open := s.connect
		s.connect = func(ctx context.Context, config *pgx.ConnConfig) (conn, error) {
			c, err := open(ctx, config)
			return failing{c, statement}, err
		}
		req := &cfnresource.CreateRequest[Props]{Properties: b.orders()}
		_, err := (&Database{s}).Create(t.Context(), req)
		if err == nil || (req.CreatedID() == b.orders().Name) != made {
			t.Errorf("%s failed: Create returned %v and created %q", statement, err, req.CreatedID())
		}
	}
}

type failing struct {
	conn
	statement string
}

func (f failing) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if strings.HasPrefix(sql, f.statement) {
		return pgconn.CommandTag{}, errors.New("it is to fail")
	}
	return f.conn.Exec(ctx, sql, args...)
}

// A session that the administrator may not end holds a Delete up, no more.
func TestADeleteWaitsForOthersSessions(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.create(p)
	other := b.prefix + "other"
	b.run(`CREATE ROLE `+other+` LOGIN PASSWORD 'other'`, `GRANT CONNECT ON DATABASE `+p.Name+` TO `+other)
	client, err := b.login(p.Name, map[string]any{"Username": other, "Password": "other"})
	if err != nil {
		t.Fatal(err)
	}
	s := b.server()
	open := s.connect
	s.connect = func(ctx context.Context, config *pgx.ConnConfig) (conn, error) {
		c, err := open(ctx, config)
		return leaving{c, client}, err
	}
	d := cfnresource.New(&Database{s}, func(o *cfnresource.Options) { o.Phase = always(lifecycle.PhaseDeleting) })
	if deleted := cfntest.Invoke(t, d, cfntest.DeleteEvent(p.Name, p)); deleted.Status != "SUCCESS" {
		t.Errorf("Delete answered %+v", deleted)
	}
	if !client.IsClosed() {
		t.Error("nothing held the Delete up")
	}
	if diff := cmp.Diff([]string{"role " + other}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
}

// leaving closes a client's connection when the database could not be dropped.
type leaving struct {
	conn
	client *pgx.Conn
}

func (l leaving) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := l.conn.Exec(ctx, sql, args...)
	if err != nil && strings.HasPrefix(sql, "DROP DATABASE") {
		_ = l.client.Close(context.Background())
	}
	return tag, err
}

// What an owner puts in the place of the server's catalogue is not asked.
func TestAnOwnerCannotLieToTheAdministrator(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	created := b.create(p)
	owner, err := b.login(p.Name, created.Data)
	if err != nil {
		t.Fatal(err)
	}
	_, err = owner.Exec(t.Context(), `CREATE TABLE public.pg_class (oid oid); ALTER DATABASE `+p.Name+` SET search_path = public, pg_catalog`)
	_ = owner.Close(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	cfntest.Invoke(t, b.function(lifecycle.PhaseCreateRollback), cfntest.DeleteEvent(p.Name, p))
	if b.state(p.Name) == nil {
		t.Error("a database whose owner hid its tables was dropped in a rollback")
	}
}

func TestDeleteWithoutReadableProperties(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.create(p)
	deleted := cfntest.Invoke(t, b.function(""), cfntest.DeleteEvent(p.Name, map[string]any{"Name": []int{1}, "Gone": "x"}))
	if deleted.Status != "SUCCESS" {
		t.Errorf("Delete answered %+v", deleted)
	}
	b.nothing()
}

// An update that finds no database does not make an empty one.
func TestALostDatabaseIsNotMadeAgain(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.create(p)
	b.run(`DROP DATABASE ` + p.Name)
	updated := cfntest.Invoke(t, b.function(""), cfntest.UpdateEvent(p.Name, p, p))
	if updated.Status != "FAILED" || updated.PhysicalResourceID != p.Name || !strings.Contains(updated.Reason, "is gone") || b.state(p.Name) != nil {
		t.Errorf("Update answered %+v, there are %v", updated, b.databases())
	}
	cfntest.Invoke(t, b.function(""), cfntest.DeleteEvent(p.Name, p))
	b.nothing()
}

// In a rollback, properties that cannot be read are zero: that renames nobody.
func TestARollbackWithoutAnOwnerKeepsIt(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.create(p)
	updated := cfntest.Invoke(t, b.function(lifecycle.PhaseUpdateRollback), cfntest.UpdateEvent(p.Name, map[string]any{"Name": p.Name}, p))
	if updated.Status != "SUCCESS" || updated.Data["Username"] != p.Owner {
		t.Errorf("Update answered %+v", updated)
	}
}

func TestAnyNameIsQuoted(t *testing.T) {
	b := newBed(t)
	p := Props{Name: b.prefix + `o"; DROP DATABASE postgres; --'`, Owner: b.prefix + `a"'; \ ünï`}
	created := b.create(p)
	c, err := b.login(p.Name, created.Data)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close(context.Background())
	cfntest.Invoke(t, b.function(""), cfntest.DeleteEvent(p.Name, p))
	b.nothing()
}

// A role that has rights elsewhere is not dropped, and the Reason says where.
func TestARoleThatIsUsedElsewhere(t *testing.T) {
	b := newBed(t)
	p := b.orders()
	b.create(p)
	b.run(`CREATE DATABASE `+b.prefix+`other`, `GRANT CONNECT ON DATABASE `+b.prefix+`other TO `+p.Owner)
	deleted := cfntest.Invoke(t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(p.Name, p))
	if deleted.Status != "FAILED" || !strings.Contains(deleted.Reason, b.prefix+"other") {
		t.Errorf("Delete answered %+v", deleted)
	}
	b.run(`REVOKE CONNECT ON DATABASE ` + b.prefix + `other FROM ` + p.Owner)
	cfntest.Invoke(t, b.function(lifecycle.PhaseDeleting), cfntest.DeleteEvent(p.Name, p)) // tried again
	if diff := cmp.Diff([]string{b.prefix + "other"}, b.list()); diff != "" {
		t.Errorf("there are (-want +got):\n%s", diff)
	}
}

// stackID is that of cfntest's events.
const stackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02"

// stable returns the request's StableID, which the answer to a Create has whose process died.
func (b *bed) stable(p Props) (id string) {
	b.t.Helper()
	cfntest.Invoke(b.t, cfnresource.New(&asked{id: &id}), cfntest.DeleteEvent("x", p))
	return id
}

type asked struct {
	Database
	id *string
}

func (a *asked) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	*a.id = req.StableID()
	return nil
}
