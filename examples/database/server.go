package main

import (
	"context"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A server is a PostgreSQL server, version 14 or later, as its administrator
// sees it: a role that may create roles and databases, and need be no more.
type server struct {
	// secret is read for each request: whoever rotates it need not know of the
	// functions that use it.
	secret  func(context.Context) (secret, error)
	connect func(context.Context, *pgx.ConnConfig) (conn, error)
}

// A conn is the part of a pgx.Conn that is used.
type conn interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Close(ctx context.Context) error
}

func connect(ctx context.Context, config *pgx.ConnConfig) (conn, error) {
	return pgx.ConnectConfig(ctx, config)
}

// dial connects to one of the server's databases: the administrator's own if the name is empty. TLS
// is set by PostgreSQL's variables, PGSSLMODE and PGSSLROOTCERT.
func (s *server) dial(ctx context.Context, key secret, database string) (conn, error) {
	to := url.URL{
		Scheme: "postgres",
		User:   url.UserPassword(key.Username, key.Password),
		Host:   net.JoinHostPort(key.Host, strconv.Itoa(key.Port)),
	}
	config, err := pgx.ParseConfig(to.String())
	if err != nil {
		return nil, err
	}
	config.Database = "postgres"
	if key.Database != "" {
		config.Database = key.Database
	}
	if database != "" {
		config.Database = database
	}
	// An owner can put tables and functions of its own before the server's, which
	// would then run as the administrator.
	config.RuntimeParams["search_path"] = "pg_catalog, pg_temp"
	config.ConnectTimeout = 10 * time.Second
	c, err := s.connect(ctx, config)
	return c, coded(err)
}

// A session works on one database and its owner, alone: as long as it is open,
// those of other processes wait. That is also so if its process dies while the
// server still works on its last statement.
type session struct {
	conn
	server *server
	secret secret

	name, mark string
	role       string // the role that bears the mark, or ""
	owner      string // the role that owns the database of that name, or "" if there is none
}

// open connects, waits for its turn, and looks at what there is. Where the
// process is frozen instead of ended, the server ends the session after a while.
func (s *server) open(ctx context.Context, name, mark string) (*session, error) {
	key, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	c, err := s.dial(ctx, key, "")
	if err != nil {
		return nil, err
	}
	o := &session{conn: c, server: s, secret: key, name: name, mark: mark}
	opened := false
	defer func() {
		if !opened {
			o.close(ctx)
		}
	}()
	_, err = c.Exec(ctx, `SELECT set_config('idle_session_timeout', '60s', false), pg_advisory_lock(hashtextextended($1::text, 0))`, name)
	if err != nil {
		return nil, coded(err)
	}
	if err := o.look(ctx); err != nil {
		return nil, coded(err)
	}
	opened = true
	return o, nil
}

func (s *session) close(ctx context.Context) { _ = s.Close(context.WithoutCancel(ctx)) }

func (s *session) look(ctx context.Context) error {
	return s.QueryRow(ctx, `SELECT
		coalesce((SELECT min(rolname) FROM pg_roles WHERE shobj_description(oid, 'pg_authid') = $2::text), ''),
		coalesce((SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname::text = $1::text), '')`,
		s.name, s.mark).Scan(&s.role, &s.owner)
}
