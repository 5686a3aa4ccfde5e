package main

import (
	"errors"
	"strings"
	"testing"
)

// Contenders take turns, so that none has the machine's good time for itself.
func TestInterleave(t *testing.T) {
	var order strings.Builder
	contender := func(name string, value float64) sampler {
		return func() (float64, error) {
			order.WriteString(name)
			return value, nil
		}
	}
	r, err := interleave(1, 3, contenders{ours: contender("o", 3), peer: contender("p", 2), floor: contender("f", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if want := "opfpfofop"; order.String() != want {
		t.Errorf("the turns were %s, want %s", &order, want)
	}
	if r.ours[0] != 3 || r.peer[0] != 2 || r.floor[0] != 1 {
		t.Errorf("medians %v, want 3, 2 and 1", r)
	}
}

func TestInterleaveStopsAtAnError(t *testing.T) {
	broken := errors.New("broken")
	if _, err := interleave(2, 2, contenders{ours: func() (float64, error) { return 0, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one", []float64{7}, 7},
		{"odd: the middle", []float64{9, 1, 5}, 5},
		{"even: between the two", []float64{4, 1, 3, 9}, 3.5},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := median(test.values); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// A ratio is taken run by run, before the median: what slows a run slows both.
func TestTable(t *testing.T) {
	var out strings.Builder
	r := result{ours: []float64{0.002, 0.020, 0.003}, floor: []float64{0.001, 0.010, 0.002}}
	printTable(&out, []row{{measure: "a thing", unit: milliseconds, result: r, base: r.floor, baseName: "floor", target: 1.9}})
	want := "| a thing | 3.00 ms | – | 2.00 ms | 2.00 (1.50 to 2.00) × floor | ≤ 1.90: MISSED |\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %s want %s", &out, want)
	}
}
