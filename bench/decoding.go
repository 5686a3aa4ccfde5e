package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/properties"
)

// rules are properties of usual kinds, about 4 kB of them.
type rules struct {
	Name    string
	Enabled bool
	Rules   []rule
}

type rule struct {
	ID       string
	Priority int
	Enabled  bool
	Ports    []int
	Source   string
	Weight   float64
	Labels   map[string]string
}

func sampleRules() rules {
	r := rules{Name: "edge", Enabled: true}
	for i := range 22 {
		r.Rules = append(r.Rules, rule{
			ID: fmt.Sprintf("rule-%03d", i), Priority: 100 * i, Enabled: i%2 == 0, Ports: []int{80, 443, 8000 + i},
			Source: fmt.Sprintf("10.%d.0.0/16", i), Weight: 0.25, Labels: map[string]string{"team": "payments", "stage": strings.Repeat("x", 12)},
		})
	}
	return r
}

// decoding measures the reading of properties whose numbers and booleans are strings, as
// CloudFormation sends them, into a struct. The floor is encoding/json, which reads the same values
// as they were in the template. The peer leaves the strings to the handler, in a map.
func decoding(_ context.Context, _ *bucket, _ string, e sampleSizes) ([]row, error) {
	native, err := json.Marshal(sampleRules())
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := json.Unmarshal(native, &values); err != nil {
		return nil, err
	}
	wire, err := json.Marshal(properties.Stringify(values))
	if err != nil {
		return nil, err
	}
	schema, err := properties.SchemaOf(reflect.TypeFor[rules]())
	if err != nil {
		return nil, err
	}
	var got rules
	if res := schema.Decode(wire, &got); !reflect.DeepEqual(res, properties.Result{}) || !reflect.DeepEqual(got, sampleRules()) {
		return nil, fmt.Errorf("the properties were not read right: %+v", res)
	}
	r, err := interleave(e.of(15, 2), e.of(300, 20), contenders{
		ours:  timed(func() { var into rules; schema.Decode(wire, &into) }),
		peer:  timed(func() { var into map[string]any; err = json.Unmarshal(wire, &into) }),
		floor: timed(func() { var into rules; err = json.Unmarshal(native, &into) }),
	})
	size := fmt.Sprintf("%.1f kB", float64(len(wire))/1e3)
	return []row{{
		measure: "decoding " + size + " of properties", unit: microseconds, result: r, base: r.floor, baseName: "encoding/json", target: 3,
	}}, err
}

func timed(fn func()) sampler {
	return func() (float64, error) {
		start := time.Now()
		fn()
		return time.Since(start).Seconds(), nil
	}
}
