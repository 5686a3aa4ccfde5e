package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
)

const testKey = "a key for tests, which everybody knows"

// A bed is a PostgreSQL server to test on, or a part of one, of which the others
// see nothing. All that tests make on it bears the prefix.
type bed struct {
	t       testing.TB
	dsn     string
	secret  secret
	prefix  string
	in, out *strings.Replacer // names and marks, on the way to the server and back
}

// prefix is that of the tests of this process.
var prefix = "cfntest_" + hex.EncodeToString(random(4)) + "_"

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// newBed returns a server on which nothing is that has the prefix, and clears
// it again at the test's end.
func newBed(t testing.TB, part ...string) *bed {
	t.Helper()
	dsn := os.Getenv("DATABASE_TEST_DSN")
	if dsn == "" {
		t.Skip("there is no DATABASE_TEST_DSN: set it to the URL of a PostgreSQL server's administrator, " +
			"or run .ci/run postgres in the SDK's repository, which installs one from Debian's packages")
	}
	b := &bed{t: t, dsn: dsn, prefix: prefix, in: strings.NewReplacer(), out: strings.NewReplacer()}
	if len(part) > 0 {
		there, mark := prefix+part[0]+"_", "my-stack"+part[0]+"-"
		b.in = strings.NewReplacer(prefix, there, "my-stack-", mark)
		b.out = strings.NewReplacer(there, prefix, mark, "my-stack-")
	}
	b.secret = secretOf(t, dsn)
	b.clear()
	t.Cleanup(b.clear)
	return b
}

func secretOf(t testing.TB, dsn string) secret {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return secret{
		Host: config.Host, Port: int(config.Port), Username: config.User, Password: config.Password,
		Database: config.Database, Key: testKey,
	}
}

func (b *bed) server() *server {
	return &server{
		secret: func(context.Context) (secret, error) { return b.secret, nil },
		connect: func(ctx context.Context, config *pgx.ConnConfig) (conn, error) {
			config.Database = b.in.Replace(config.Database)
			c, err := connect(ctx, config)
			return stepping{c, b}, err
		},
	}
}

// function returns a new process of the function. In its stack's eyes, each
// request came in the phase, if it is not empty.
func (b *bed) function(phase lifecycle.Phase) *cfnresource.Dispatcher {
	return cfnresource.New(&Database{b.server()}, func(o *cfnresource.Options) {
		o.Phase = always(phase)
		// In 4 s of real time, a Delete that overtook its Create would look for
		// the second time in the 200 ms that are half of the answer's time.
		o.LostGrace, o.FindLag = time.Second, 100*time.Millisecond
	})
}

func always(phase lifecycle.Phase) func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
	return func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) { return phase, nil }
}

// A stepping conn has a cfntest.Step before and after each statement that changes something: the
// others have arguments. If the process is to die there, its connection ends with it.
type stepping struct {
	conn
	b *bed
}

func (c stepping) Exec(ctx context.Context, sql string, args ...any) (tag pgconn.CommandTag, err error) {
	lives := false
	defer func() {
		if !lives {
			_ = c.Close(context.Background())
		}
	}()
	if len(args) == 0 {
		err = cfntest.Step(ctx)
	}
	if err != nil {
		return tag, err // a server that fails ends its sessions
	}
	if tag, err = c.conn.Exec(ctx, c.b.in.Replace(sql), c.b.toServer(args)...); err == nil && len(args) == 0 {
		err = cfntest.Step(ctx)
	}
	lives = true
	return tag, err
}

func (c stepping) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row{c.conn.QueryRow(ctx, sql, c.b.toServer(args)...), c.b}
}

type row struct {
	pgx.Row
	b *bed
}

func (r row) Scan(dest ...any) error {
	err := r.Row.Scan(dest...)
	for _, d := range dest {
		if text, ok := d.(*string); ok {
			*text = r.b.out.Replace(*text)
		}
	}
	return err
}

func (b *bed) toServer(args []any) []any {
	there := slices.Clone(args)
	for i, arg := range there {
		if text, ok := arg.(string); ok {
			there[i] = b.in.Replace(text)
		}
	}
	return there
}

// run runs statements, as the administrator, each in a transaction of its own.
func (b *bed) run(statements ...string) {
	b.t.Helper()
	b.runIn("", statements...)
}

func (b *bed) runIn(database string, statements ...string) {
	b.t.Helper()
	c := b.dial(database)
	defer c.Close(context.Background())
	for _, statement := range statements {
		if _, err := c.Exec(context.Background(), b.in.Replace(statement)); err != nil {
			b.t.Fatalf("%s: %v", statement, err)
		}
	}
}

func (b *bed) dial(database string) *pgx.Conn {
	b.t.Helper()
	config, err := pgx.ParseConfig(b.dsn)
	if err != nil {
		b.t.Fatal(err)
	}
	config.Database = cmp.Or(b.in.Replace(database), config.Database)
	c, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// query returns a statement's only column.
func (b *bed) query(statement string, args ...any) []string {
	b.t.Helper()
	c := b.dial("")
	defer c.Close(context.Background())
	rows, _ := c.Query(context.Background(), statement, b.toServer(args)...) // CollectRows returns its error
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		b.t.Fatalf("%s: %v", statement, err)
	}
	for i := range found {
		found[i] = b.out.Replace(found[i])
	}
	return found
}

// A made is what there is of a database.
type made struct {
	Owner  string
	Limit  int
	Marked bool // the owner bears a mark
	Closed bool // only the owner, and its members, may connect
	Used   bool // the owner has made a table in it
}

// state returns what there is under a name, or nil.
func (b *bed) state(name string) any {
	b.t.Helper()
	c := b.dial("")
	defer c.Close(context.Background())
	rows, _ := c.Query(context.Background(), `SELECT pg_get_userbyid(datdba) AS owner, datconnlimit AS limit,
			coalesce(shobj_description(datdba, 'pg_authid'), '') <> '' AS marked,
			NOT has_database_privilege('public', oid, 'CONNECT') AS closed,
			EXISTS (SELECT FROM pg_shdepend WHERE dbid = pg_database.oid AND refobjid = datdba AND classid = 'pg_class'::regclass) AS used
		FROM pg_database WHERE datname::text = $1`, b.in.Replace(name))
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[made])
	if err != nil {
		b.t.Fatal(err)
	}
	if len(found) == 0 {
		return nil
	}
	found[0].Owner = b.out.Replace(found[0].Owner)
	return found[0]
}

// use makes a table, as the owner does.
func (b *bed) use(name string) {
	if is, there := b.state(name).(made); there {
		b.runIn(name, `SET ROLE `+quote(is.Owner), `CREATE TABLE IF NOT EXISTS used (id int)`)
	}
}

// occupy makes a database by hand, which an earlier service of the one server may have left, with the
// owner that a template names, if there is no such role.
func (b *bed) occupy(name string) {
	b.run(`DROP DATABASE IF EXISTS ` + quote(name))
	for _, p := range []Props{b.orders(), b.returns()} {
		if p.Name == name && !has(b.roles(), p.Owner) {
			b.run(`CREATE ROLE `+quote(p.Owner), `GRANT `+quote(p.Owner)+` TO CURRENT_USER`, `CREATE DATABASE `+quote(name)+` OWNER `+quote(p.Owner))
			return
		}
	}
	b.run(`CREATE DATABASE ` + quote(name))
}

// list returns the names of all databases that tests made, and of the roles
// that own none, which bear "role " before them.
func (b *bed) list() []string {
	return append(b.databases(), b.query(`SELECT 'role ' || rolname FROM pg_roles
		WHERE starts_with(rolname, $1) AND NOT EXISTS (SELECT FROM pg_database WHERE datdba = pg_roles.oid) ORDER BY 1`, b.prefix)...)
}

func (b *bed) databases() []string {
	return b.query(`SELECT datname::text FROM pg_database WHERE starts_with(datname, $1) ORDER BY 1`, b.prefix)
}

func (b *bed) roles() []string {
	return b.query(`SELECT rolname::text FROM pg_roles WHERE starts_with(rolname, $1) ORDER BY 1`, b.prefix)
}

func (b *bed) clear() {
	for _, name := range b.databases() {
		b.drop(name)
	}
	for _, name := range b.roles() {
		b.run(`DROP ROLE ` + quote(name))
	}
}

// drop drops a database, also while PostgreSQL cleans up in it: FORCE fails then,
// and the plain statement waits.
func (b *bed) drop(name string) {
	c := b.dial("")
	defer c.Close(context.Background())
	statement := b.in.Replace(`DROP DATABASE ` + quote(name))
	if _, err := c.Exec(context.Background(), statement+` WITH (FORCE)`); err == nil {
		return
	}
	if _, err := c.Exec(context.Background(), statement); err != nil {
		b.t.Errorf("%s: %v", statement, err)
	}
}

// login connects with what an answer's Data say.
func (b *bed) login(database string, data map[string]any) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(b.dsn)
	if err != nil {
		b.t.Fatal(err)
	}
	config.Database = database
	config.User, _ = data["Username"].(string)
	config.Password, _ = data["Password"].(string)
	return pgx.ConnectConfig(context.Background(), config)
}

func has(list []string, part string) bool { return strings.Contains(strings.Join(list, "\n"), part) }
