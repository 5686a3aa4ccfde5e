package response

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func answer(change func(*Answer)) Answer {
	a := Answer{
		Status: Success, PhysicalResourceID: "topic-1",
		StackID:   "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/guid",
		RequestID: "6245fb70", LogicalResourceID: "Topic",
	}
	change(&a)
	return a
}

// decode reads a body as CloudFormation does.
func decode(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, body)
	}
	return got
}

func reason(t *testing.T, a Answer) string {
	t.Helper()
	body, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > MaxBytes {
		t.Errorf("the body has %d bytes", len(body))
	}
	r, _ := decode(t, body)["Reason"].(string)
	return r
}

func TestWireForm(t *testing.T) {
	const ids = `"PhysicalResourceId":"topic-1","StackId":"arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/guid","RequestId":"6245fb70","LogicalResourceId":"Topic"`
	tests := []struct {
		name   string // the rule
		change func(*Answer)
		want   string
	}{
		{"what is empty is left out, never null: a null Reason spoils the response", func(*Answer) {},
			`{"Status":"SUCCESS",` + ids + `}`},
		{"everything in CloudFormation's spelling", func(a *Answer) {
			a.Reason, a.NoEcho, a.Data = "fine", true, map[string]any{"b": []any{true, json.Number("1.50")}, "a": "x"}
		}, `{"Status":"SUCCESS","Reason":"fine",` + ids + `,"NoEcho":true,"Data":{"a":"x","b":[true,1.50]}}`},
		{"FAILED carries neither Data nor NoEcho: no attribute is read from it", func(a *Answer) {
			a.Status, a.Reason, a.NoEcho, a.Data = Failed, "no", true, map[string]any{"a": func() {}}
		}, `{"Status":"FAILED","Reason":"no",` + ids + `}`},
		{"FAILED always has a Reason: CloudFormation requires one", func(a *Answer) { a.Status, a.Reason = Failed, "\x00 \n" },
			`{"Status":"FAILED","Reason":"` + noReason + `",` + ids + `}`},
		{"the LogPointer follows the Reason", func(a *Answer) { a.Status, a.Reason, a.LogPointer = Failed, "no", "See log stream x" },
			`{"Status":"FAILED","Reason":"no See log stream x",` + ids + `}`},
		{"the LogPointer alone is no Reason for SUCCESS", func(a *Answer) { a.LogPointer = "See log stream x" },
			`{"Status":"SUCCESS",` + ids + `}`},
		{"no HTML escapes: they take six bytes each", func(a *Answer) { a.Data = map[string]any{"a<": "<&>"} },
			`{"Status":"SUCCESS",` + ids + `,"Data":{"a<":"<&>"}}`},
		{"nor of Unicode's line ends", func(a *Answer) { a.Data = map[string]any{"\u2028": "a\u2028\u2029"} },
			`{"Status":"SUCCESS",` + ids + `,"Data":{"` + "\u2028\":\"a\u2028\u2029" + `"}}`},
		{"a text that looks like an escape stays what it is", func(a *Answer) { a.Data = map[string]any{"a": `\u2028\\u2029`} },
			`{"Status":"SUCCESS",` + ids + `,"Data":{"a":"\\u2028\\\\u2029"}}`},
		{"raw JSON is made valid UTF-8", func(a *Answer) { a.Data = map[string]any{"a": json.RawMessage("\"\xff\"")} },
			`{"Status":"SUCCESS",` + ids + `,"Data":{"a":"` + "\ufffd" + `"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := answer(tt.change).Encode()
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestReasonIsFitForStackEvents(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"line ends become one space", "first\r\nsecond\n\n\tthird\n", "first second third"},
		{"other control characters are removed", "\x1b[31mred\x00\x7f\u0085\u009b", "[31mred"},
		{"Unicode's line ends are line ends", "a\u2028b\u2029c", "a b c"},
		{"invalid UTF-8 is replaced", "a\xffb", "a\ufffdb"},
		{"what XML cannot hold is removed", "a\ufffe\uffffb", "ab"},
		{"what reverses or hides text is removed", "a\u202eb\u2066c\u200b\ufeff\u00ad\U000e0041d", "abcd"},
		{"what joins letters stays", "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f680", "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f680"},
		{"anything else stays", "größe 東京 \u00a0 <&>\"\\ 🙂", "größe 東京 \u00a0 <&>\"\\ 🙂"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reason(t, answer(func(a *Answer) { a.Status, a.Reason = Failed, tt.in })); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The limit is inclusive: CloudFormation accepts 4096 bytes and not 4097.
func TestLimitToTheByte(t *testing.T) {
	empty, err := answer(func(a *Answer) { a.Data = map[string]any{"a": ""} }).Encode()
	if err != nil {
		t.Fatal(err)
	}
	room := MaxBytes - len(empty)
	full := answer(func(a *Answer) { a.Data = map[string]any{"a": strings.Repeat("x", room)} })
	if body, err := full.Encode(); err != nil || len(body) != MaxBytes {
		t.Errorf("Encode of %d bytes = %d bytes, %v", MaxBytes, len(body), err)
	}
	full.Reason = "given up for Data"
	if got := reason(t, full); got != "" {
		t.Errorf("Reason = %q, want none", got)
	}
	full.Data["a"] = strings.Repeat("x", room+1)
	_, err = full.Encode()
	var tooLarge *TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != MaxBytes+1 {
		t.Errorf("Encode of %d bytes: %v", MaxBytes+1, err)
	}

	failed := answer(func(a *Answer) { a.Status, a.Reason = Failed, "x" })
	short, err := failed.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, char := range []string{"x", `"`, "é", "🙂", "東"} {
		encoded, err := marshal(char)
		if err != nil {
			t.Fatal(err)
		}
		each := len(encoded) - 2
		n := (MaxBytes - len(short)) / each
		failed.Reason = "x" + strings.Repeat(char, n)
		if got := reason(t, failed); got != failed.Reason {
			t.Errorf("a Reason that fits was cut: %q × %d", char, n)
		}
		failed.Reason += char
		got := reason(t, failed)
		if !strings.HasSuffix(got, ellipsis) || !strings.HasPrefix(failed.Reason, strings.TrimSuffix(got, ellipsis)) {
			t.Errorf("%q: the cut is not the start and the mark: …%q", char, got[len(got)-20:])
		}
		if body, _ := failed.Encode(); len(body) <= MaxBytes-each-len(ellipsis) {
			t.Errorf("%q: only %d bytes used", char, len(body))
		}
	}
}

func TestReasonIsShortenedFirst(t *testing.T) {
	const pointer = "See log stream 2026/11/20/[$LATEST]abc."
	huge := strings.Repeat("é\"", 1<<20)
	got := reason(t, answer(func(a *Answer) {
		a.Status, a.Reason, a.LogPointer = Failed, "start "+huge, pointer
	}))
	if !strings.HasPrefix(got, "start é") || !strings.HasSuffix(got, ellipsis+" "+pointer) || !utf8.ValidString(got) {
		t.Errorf("start and log pointer are not kept: %.40q … %q", got, got[len(got)-60:])
	}
	got = reason(t, answer(func(a *Answer) {
		a.Reason, a.LogPointer, a.Data = "start "+huge, pointer, map[string]any{"k": strings.Repeat("d", 3000)}
	}))
	if !strings.HasPrefix(got, "start é") || !strings.HasSuffix(got, pointer) || len(got) > 1000 {
		t.Errorf("SUCCESS: %d bytes: %.40q", len(got), got)
	}
	got = reason(t, answer(func(a *Answer) {
		a.Status, a.Reason, a.LogPointer = Failed, "start", strings.Repeat("p", MaxBytes)
	}))
	if got != "start" {
		t.Errorf("a log pointer without room: Reason = %q, want the reason alone", got)
	}
}

func TestTooLargeNamesKeysNotValues(t *testing.T) {
	data := map[string]any{"Small": "hunter2", "Bi\"g": strings.Repeat("hunter2", 700)}
	for i := range 10 {
		data["Key"+strings.Repeat("y", 100*i)] = "hunter2"
	}
	_, err := answer(func(a *Answer) { a.Data = data }).Encode()
	var got *TooLargeError
	if !errors.As(err, &got) {
		t.Fatalf("err = %v, want a *TooLargeError", err)
	}
	if want := (KeySize{Key: "Bi\"g", Bytes: len(`"Bi\"g":""`) + 4900}); got.Keys[0] != want {
		t.Errorf("the largest is %v, want %v", got.Keys[0], want)
	}
	if len(got.Keys) != len(data) {
		t.Errorf("%d keys, want %d", len(got.Keys), len(data))
	}
	text := err.Error()
	if strings.Contains(text, "hunter2") || !strings.Contains(text, `4910 bytes in "Bi\"g"`) || !strings.Contains(text, "and 4 smaller") || len(text) > 1200 {
		t.Errorf("text: %s", text)
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("hunter2") }

type fails struct{}

func (fails) MarshalText() ([]byte, error) { return nil, errors.New("hunter2") }

// A value may be nested deeper than encoding/json reads, or, since Go 1.27, writes:
// it is an error that names the key, and the answer is not empty.
func TestDeepDataIsTooLarge(t *testing.T) {
	var deep any = "x"
	for range 10_001 {
		deep = []any{deep}
	}
	_, err := answer(func(a *Answer) { a.Data = map[string]any{"Deep": deep} }).Encode()
	if large, ok := errors.AsType[*TooLargeError](err); ok && (large.Size < 20_000 || large.Keys[0].Key != "Deep") || !ok && !strings.Contains(err.Error(), `"Deep"`) {
		t.Errorf("%v", err)
	}
}

func TestWhatCannotBeAnsweredIsAnError(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	withData := func(v any) func(*Answer) {
		return func(a *Answer) { a.Data = map[string]any{"Secret": v} }
	}
	tests := []struct {
		name   string
		change func(*Answer)
		want   string
	}{
		{"a status that CloudFormation does not know", func(a *Answer) { a.Status = "FAILURE" }, `"FAILURE"`},
		{"no status", func(a *Answer) { a.Status = "" }, "Status"},
		{"no physical ID", func(a *Answer) { a.PhysicalResourceID = "" }, "PhysicalResourceID is empty"},
		{"no stack ID", func(a *Answer) { a.StackID = "" }, "StackID is empty"},
		{"no request ID", func(a *Answer) { a.RequestID = "" }, "RequestID is empty"},
		{"no logical ID", func(a *Answer) { a.LogicalResourceID = "" }, "LogicalResourceID is empty"},
		{"an ID that would be changed", func(a *Answer) { a.PhysicalResourceID = "a\xff" }, "PhysicalResourceID is not valid UTF-8"},
		{"IDs without room for anything", func(a *Answer) { a.StackID = strings.Repeat("s", MaxBytes) }, "IDs of the request"},
		{"IDs without room for the Reason that FAILED needs", func(a *Answer) {
			a.Status = Failed
			body, _ := answer(func(*Answer) {}).Encode()
			a.PhysicalResourceID += strings.Repeat("s", MaxBytes-len(body)-5)
		}, "no room for a Reason"},
		{"a function", withData(func() {}), `"Secret" in Data, of Go type func()`},
		{"not a number", withData(math.NaN()), `"Secret" in Data, of Go type float64`},
		{"a number that is none", withData(json.Number("hunter2")), "json.Number"},
		{"a cycle", withData(cycle), "map[string]interface"},
		{"a MarshalJSON that panics", withData(panics{}), "response.panics"},
		{"a nil pointer whose method panics", withData([]any{(*panics)(nil), panics{}}), "[]interface"},
		{"a MarshalText that fails", withData(fails{}), "response.fails"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, err := answer(tt.change).Encode()
			if err == nil || !strings.Contains(err.Error(), tt.want) || body != nil {
				t.Errorf("Encode = %.60s, %v, want an error with %q", body, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error holds a value: %v", err)
			}
		})
	}
}

// Whatever comes in, a body that comes out is one that CloudFormation accepts.
func FuzzEncode(f *testing.F) {
	f.Add("FAILED", "a reason\n\x1b[0m", "See log", "id", "stack", "request", "logical", "key", "value", uint16(0))
	f.Add("SUCCESS", "", "", "id", "stack", "request", "logical", "key", "<\u2028>", uint16(500))
	f.Add("FAILED", "é\"🙂", "p", "\x00", "\ufffd", "\u2029", "<", "", "\xff", uint16(4000))
	f.Fuzz(func(t *testing.T, status, why, pointer, id, stack, request, logical, key, value string, times uint16) {
		n := int(times % 5000)
		a := Answer{
			Status: Status(status), Reason: why + strings.Repeat(why, min(n, 1<<18/(len(why)+1))), LogPointer: pointer,
			PhysicalResourceID: id, StackID: stack, RequestID: request, LogicalResourceID: logical,
			NoEcho: n%2 == 1, Data: map[string]any{key: value, "list": []any{value, strings.Repeat(key, min(n/10, 1<<18/(len(key)+1)))}},
		}
		body, err := a.Encode()
		if err != nil {
			for _, s := range []string{id, stack, request, logical} {
				if len(s) > 600 || s == "" || !utf8.ValidString(s) {
					return
				}
			}
			var tooLarge *TooLargeError
			if status == string(Failed) || status == string(Success) && !errors.As(err, &tooLarge) {
				t.Fatalf("a %s with sound IDs cannot be answered: %v", status, err)
			}
			return
		}
		if len(body) > MaxBytes || !utf8.Valid(body) {
			t.Fatalf("%d bytes, valid UTF-8: %v", len(body), utf8.Valid(body))
		}
		got := decode(t, body)
		for name, want := range map[string]string{
			"Status": status, "PhysicalResourceId": id, "StackId": stack, "RequestId": request, "LogicalResourceId": logical,
		} {
			if got[name] != want {
				t.Errorf("%s = %q, want %q", name, got[name], want)
			}
		}
		reason, present := got["Reason"].(string)
		if (status == string(Failed) || present) && reason == "" || strings.ContainsFunc(reason, unicode.IsControl) {
			t.Errorf("Reason = %q", reason)
		}
		if _, has := got["Data"]; has == (status == string(Failed)) {
			t.Errorf("%s, Data present: %v", status, has)
		}
		if again, err := a.Encode(); err != nil || !reflect.DeepEqual(again, body) {
			t.Errorf("encoded again, it differs: %v", err)
		}
	})
}
