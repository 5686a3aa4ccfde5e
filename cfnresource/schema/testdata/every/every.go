// Package every has types with a property of each kind, for the tests of those who
// describe them and of those who read the descriptions.
package every

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// Properties has a property of each kind that can be read.
type Properties struct {
	_        struct{} `doc:"All that can be read."`
	Bool     bool     `cfn:"default=True"`
	Int      int      `cfn:"default=014"`
	Int8     int8     `doc:"A small one."`
	Int16    int16
	Int32    int32
	Int64    int64
	Uint     uint
	Uint8    uint8
	Uint16   uint16
	Uint32   uint32
	Uint64   uint64
	Float32  float32 `cfn:"default=1.5"`
	Float64  float64
	Text     string        `cfn:"required,createOnly"`
	Secret   string        `cfn:"secret,default=hunter2"`
	Duration time.Duration `cfn:"default=90s"`
	Time     time.Time
	Addr     netip.Addr
	Big      *big.Int
	Port     port
	Mode     mode `cfn:"default=fast"`
	Speed    speed
	Bytes    []byte
	Any      any
	Raw      json.RawMessage
	Number   json.Number
	Pointer  **int
	List     []int `cfn:"default=[\"1\",\"2\"]"`
	Lists    [][]string
	Array    [2]bool
	Map      map[string]int `cfn:"default={\"a\":\"1\"}"`
	ByInt    map[int]string
	ByUint   map[uint8]string
	Nested   struct{ A, B int } `cfn:"default={\"A\":\"1\"}"`
	Rules    []rule
	Rule     *rule `cfn:"createOnly"`
	ByName   map[string]rule
	Chain    *chain
	Empty    struct{}
	Tree     tree
	Dict     map[string]dict
	embedded
}

type embedded struct {
	Promoted string `cfn:"required"`
}

type rule struct {
	_     struct{} `doc:"What is let through."`
	Port  uint16   `cfn:"required"`
	Notes []string
}

type chain struct {
	Name string `cfn:"secret"`
	Next *chain
	Kids []chain
}

// tree and dict hold themselves, and are no structs.
type (
	tree []tree
	dict map[string]dict
)

// port reads itself.
type port struct{ n int }

func (p *port) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &p.n) }

// mode has two values, and says so.
type mode string

func (m *mode) UnmarshalText(b []byte) error {
	if *m = mode(b); *m != "fast" && *m != "thorough" {
		return errors.New("no mode")
	}
	return nil
}

func (m mode) MarshalText() ([]byte, error) { return []byte(m), nil }

func (mode) DescribeProperty(p *schema.Property) { p.Enum = []any{"fast", "thorough"} }

// speed has two values, and only says so.
type speed string

func (speed) DescribeProperty(p *schema.Property) { p.Enum = []any{"slow", "quick"} }

// Attributes has an attribute of each kind.
type Attributes struct {
	Text     string `cfn:"secret" doc:"What is asked for."`
	Rule     *rule  // which is a property, too
	Endpoint struct {
		Host string
		Port int
	}
	Tags  map[string]string
	List  []string // which is a property, too
	When  time.Time
	Wait  time.Duration
	Addr2 netip.Addr
	Any2  any
	Loop  *loop
}

type loop struct {
	Name string
	Next *loop
}
