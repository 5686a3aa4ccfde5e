package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A tape is a slog.Handler that writes lines as they are, as simple ones do.
type tape struct {
	slog.Handler
	lines *[]string
}

func (tape) Enabled(context.Context, slog.Level) bool { return true }

func (l tape) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stack" {
			line += fmt.Sprintf(" %s=%v", a.Key, a.Value.Resolve())
		}
		return true
	})
	*l.lines = append(*l.lines, line)
	return nil
}

// maxWork is thirty times what the worst event costs; one whose cost grows with the
// square of its size costs a minute.
const maxWork = 2 * time.Second

// Whatever the event, it is answered soon and with little memory, what is
// logged stays short, and nothing that came in the event begins a line.
func TestHostileEventsCostLittle(t *testing.T) {
	for name, attack := range hostile {
		t.Run(name, func(t *testing.T) {
			// What the invocation costs, of which the garbage collector takes a part.
			handle := func(size int) (work time.Duration, memory uint64) {
				var lines []string
				var logged bytes.Buffer
				logger := slog.New(slog.NewMultiHandler(slog.NewJSONHandler(&logged, nil), tape{lines: &lines}))
				d := cfnresource.New(target{}, func(o *cfnresource.Options) { o.Logger = logger })
				raw := attack(size)()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := cpuTime()
				var rec recorder
				_, err := d.Invoke(hook.WithSender(t.Context(), &rec), raw)
				work = cpuTime() - start
				runtime.ReadMemStats(&after)
				memory = after.TotalAlloc - before.TotalAlloc
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				if len(rec.bodies) != 1 || !json.Valid(rec.bodies[0]) {
					t.Fatalf("%d answers", len(rec.bodies))
				}
				for line := range bytes.Lines(logged.Bytes()) {
					if len(line) > 32<<10 {
						t.Errorf("a record of %d bytes: %.200s", len(line), line)
					}
				}
				for _, line := range lines {
					if strings.ContainsAny(line, "\r\n\x1b\u2028") {
						t.Errorf("a line begins in %.300q", line)
					}
				}
				return work, memory
			}
			handle(3_000) // what is made once
			_, few := handle(eventSize / 10)
			work, many := handle(eventSize)
			t.Logf("%v, %d kB; a tenth of it: %d kB", work.Round(time.Millisecond), many>>10, few>>10)
			if work > maxWork && !testrun.Race {
				t.Errorf("it took a processor %v, want at most %v", work, maxWork)
			}
			if many > 64<<20 && !testrun.Race {
				t.Errorf("it took %d MB", many>>20)
			}
			if many > 14*few+4<<20 && !testrun.Race {
				t.Errorf("a tenth of it takes %d kB, the whole %d kB", few>>10, many>>10)
			}
		})
	}
}

// Events are hostile input: anybody who may invoke the function makes them, and
// who writes a template makes what is in them.

const eventSize = 256 << 10 // of an asynchronous invocation's payload, in bytes

// targeted are properties that have everything that an event could multiply.
type targeted struct {
	Key      string            `cfn:"createOnly"`
	Node     *targetedNode     `cfn:"createOnly"`
	Any      any               `cfn:"createOnly"`
	Map      map[string]string `cfn:"createOnly"`
	Large    []targetedLarge
	Ints     []int
	Defaults []targetedDefault
	Secrets  []string `cfn:"secret"`
	Fail     string
}

type targetedNode struct {
	Next *targetedNode
	Ints []int
	Text string
}

type targetedLarge struct {
	Buffer [64]uint64
	Must   string `cfn:"required"`
}

type targetedDefault struct {
	Names []string `cfn:"default=[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"b\",\"c\",\"d\"]"`
}

// A target is a handler that says too much when it fails.
type target struct{}

func (target) Create(_ context.Context, req *cfnresource.CreateRequest[targeted]) (data, error) {
	return nil, say(req.Properties)
}

func (target) Update(_ context.Context, req *cfnresource.UpdateRequest[targeted]) (data, error) {
	return nil, say(req.Properties)
}

func (target) Delete(_ context.Context, req *cfnresource.DeleteRequest[targeted]) error {
	return say(req.Properties)
}

func say(p targeted) error {
	switch p.Fail {
	case "panic":
		panic(strings.Repeat("\x1b\nFAKE LINE \"", 100_000))
	case "long":
		return errors.New(strings.Repeat("\nFAKE LINE \"", 1_000_000))
	}
	quoted, err := json.Marshal(p)
	return errors.Join(err, fmt.Errorf("the service refused %q: %v", quoted, p.Secrets))
}

// list returns a list that is about size bytes long, of what element says.
func list(size int, element func(i int) string) json.RawMessage {
	var b bytes.Buffer
	for i := 0; i == 0 || b.Len() < size; i++ {
		b.WriteString("," + element(i))
	}
	return json.RawMessage("[" + b.String()[1:] + "]")
}

func text(s string) func(int) string { return func(int) string { return s } }

// nested returns a value far below others.
func nested(depth int, value string) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"Next":`, depth) + value + strings.Repeat("}", depth))
}

// crowded returns an object with as many members as fit.
func crowded(size int, member string) json.RawMessage {
	members := list(size, func(i int) string { return fmt.Sprintf(member, i) })
	return json.RawMessage("{" + string(members[1:len(members)-1]) + "}")
}

// hostile are events of about a size in bytes.
var hostile = map[string]func(size int) payload{
	"errors far below": func(n int) payload {
		return created(object{"ResourceProperties": object{"Node": nested(900, string(crowded(n-9*900, `"u%d":1`)))}})
	},
	"a long name above errors": func(n int) payload {
		return created(object{"ResourceProperties": object{"Map": map[string]any{strings.Repeat("n", n/2): 1}, "Ints": list(n/2, text(`{}`))}})
	},
	"unknown properties": func(n int) payload {
		return created(object{"ResourceProperties": crowded(n, `"Kee%d":1`)})
	},
	"properties that are known nearly": func(n int) payload {
		return created(object{"ResourceProperties": crowded(n, `"kEY":"%d"`)})
	},
	"bad properties": func(n int) payload {
		return created(object{"ResourceProperties": object{"Ints": list(n, text(`"x"`))}})
	},
	"required properties": func(n int) payload {
		return created(object{"ResourceProperties": object{"Large": list(n, text(`{}`))}})
	},
	"large elements that are bad": func(n int) payload {
		return created(object{"ResourceProperties": object{"Large": list(n, text(`0`))}})
	},
	"defaults": func(n int) payload {
		return created(object{"ResourceProperties": object{"Defaults": list(n, text(`{}`))}})
	},
	"unresolved references": func(n int) payload {
		return updatedTo("svc-1", object{"Ints": list(n/2, text(`"{{resolve:"`))}, object{"Ints": list(n/2, text(`"{{resolve:"`))})
	},
	"secrets": func(n int) payload {
		return created(object{"ResourceProperties": object{"Secrets": list(n, func(i int) string { return fmt.Sprintf(`"secret-%013d"`, i) })}})
	},
	"secrets that begin alike": func(n int) payload {
		return created(object{"ResourceProperties": object{"Secrets": list(n, func(i int) string { return `"` + strings.Repeat("a", 900) + fmt.Sprint(i) + `"` })}})
	},
	"secrets old and new": func(n int) payload {
		secrets := func(by int) object {
			return object{"Secrets": list(n/2, func(i int) string { return fmt.Sprintf(`"<\"%d>"`, by+i) })}
		}
		return updatedTo("svc-1", secrets(1_000_000), secrets(2_000_000))
	},
	"one long secret": func(n int) payload {
		return created(object{"ResourceProperties": object{"Secrets": []string{strings.Repeat("ab", n/2)}}})
	},
	"a long createOnly property": func(n int) payload {
		return updatedTo("svc-1", object{"Key": strings.Repeat("<", n/12)}, object{"Key": strings.Repeat(">", n/12)})
	},
	"createOnly properties long and deep": func(n int) payload {
		node := func(s string) object {
			return object{"Node": nested(900, `{"Text":"`+strings.Repeat(s, max(1, n/2-9*900))+`"}`)}
		}
		return updatedTo("svc-1", node("a"), node("b"))
	},
	"createOnly properties of any kind": func(n int) payload {
		return updatedTo("svc-1", object{"Any": list(n/2, text(`{"":0}`))}, object{"Any": list(n/2, text(`[[]]`))})
	},
	"a createOnly map": func(n int) payload {
		return updatedTo("svc-1", object{"Map": crowded(n/2, `"%d":"1"`)}, object{"Map": crowded(n/2, `"%d":"2"`)})
	},
	"deep JSON": func(n int) payload {
		return func() []byte {
			deep := strings.Repeat(`[`, n/2) + strings.Repeat(`]`, n/2)
			return bytes.Replace(created(object{"ResourceProperties": object{"Any": 0}})(), []byte(`"Any":0`), []byte(`"Any":`+deep), 1)
		}
	},
	"members of the event": func(n int) payload {
		return func() []byte {
			members := crowded(n, `"Member%d":0`)
			return append(append(bytes.TrimSuffix(created(nil)(), []byte("}")), ','), members[1:]...)
		}
	},
	"one member of the event, often": func(n int) payload {
		return func() []byte {
			members := crowded(n, `"RequestType":%d`)
			return append(append(bytes.TrimSuffix(created(nil)(), []byte("}")), ','), members[1:]...)
		}
	},
	"a long resource type":  func(n int) payload { return created(object{"ResourceType": long(n)}) },
	"a long request type":   func(n int) payload { return created(object{"RequestType": long(n)}) },
	"a long request ID":     func(n int) payload { return created(object{"RequestId": long(n)}) },
	"a long stack ID":       func(n int) payload { return created(object{"StackId": stackID + long(n)}) },
	"a long logical ID":     func(n int) payload { return created(object{"LogicalResourceId": long(n)}) },
	"a long physical ID":    func(n int) payload { return deleted(long(n)) },
	"a long ServiceTimeout": func(n int) payload { return created(object{"ServiceTimeout": strings.Repeat("9", n)}) },
	"a dead process that said much": func(n int) payload {
		return func() []byte {
			record := map[string]any{}
			if err := json.Unmarshal(died(created(nil))(), &record); err != nil {
				panic(err)
			}
			record["responsePayload"] = object{"errorMessage": long(n)}
			return encode(record)
		}
	},
	"a handler that says much":      func(int) payload { return created(object{"ResourceProperties": object{"Fail": "long"}}) },
	"a handler that panics loudly":  func(int) payload { return created(object{"ResourceProperties": object{"Fail": "panic"}}) },
	"properties that are no object": func(n int) payload { return created(object{"ResourceProperties": list(n, text("0"))}) },
}

// long is a text that begins lines.
func long(n int) string { return "x" + strings.Repeat("\nFAKE\u2028\x1b[2K ", n/20) }
