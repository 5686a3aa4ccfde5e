package properties

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

// benchProps is a resource of middling size: 4 kB as CloudFormation sends it.
type benchProps struct {
	Name    string `cfn:"createOnly"`
	Active  bool
	Days    int `cfn:"default=14"`
	Ratio   float64
	Rules   []benchRule
	Tags    map[string]string
	Subnets []string
	Limits  *benchLimits
}

type benchRule struct {
	Protocol    string `cfn:"required"`
	FromPort    int
	ToPort      int
	Cidr        string
	Allow       bool
	Priority    uint16
	Description string
}

type benchLimits struct {
	Reads, Writes int64
	Burst         float64
	Hard          bool
}

// benchInput returns the same properties as a template says them and as CloudFormation sends them.
func benchInput(tb testing.TB) (native, sent []byte) {
	p := benchProps{
		Name: "orders-topic", Active: true, Days: 30, Ratio: 0.75,
		Tags:   map[string]string{},
		Limits: &benchLimits{1000, 500, 1.5, true},
	}
	for i := range 20 {
		p.Rules = append(p.Rules, benchRule{
			Protocol: "tcp", FromPort: 1000 + i, ToPort: 2000 + i, Cidr: fmt.Sprintf("10.%d.0.0/16", i),
			Allow: i%2 == 0, Priority: uint16(i), Description: "traffic of the orders service",
		})
	}
	for i := range 15 {
		p.Tags[fmt.Sprintf("tag-key-%d", i)] = fmt.Sprintf("the value of the tag %d", i)
		p.Subnets = append(p.Subnets, fmt.Sprintf("subnet-0123456789abcdef%d", i))
	}
	native, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	parsed, err := parse(native)
	if err != nil {
		tb.Fatal(err)
	}
	if sent, err = json.Marshal(parsed); err != nil {
		tb.Fatal(err)
	}
	var got benchProps
	if r := mustSchema[benchProps](tb).Decode(sent, &got); len(r.all()) > 0 || !reflect.DeepEqual(p, got) {
		tb.Fatal(r.all())
	}
	return native, sent
}

// BenchmarkDecode and BenchmarkEncodingJSON decode the same values, as
// CloudFormation sends them and as the template has them.
func BenchmarkDecode(b *testing.B) {
	_, sent := benchInput(b)
	s := mustSchema[benchProps](b)
	b.SetBytes(int64(len(sent)))
	b.ReportAllocs()
	for b.Loop() {
		var p benchProps
		s.Decode(sent, &p)
	}
}

func BenchmarkEncodingJSON(b *testing.B) {
	native, _ := benchInput(b)
	b.SetBytes(int64(len(native)))
	b.ReportAllocs()
	for b.Loop() {
		var p benchProps
		if err := json.Unmarshal(native, &p); err != nil {
			b.Fatal(err)
		}
	}
}
