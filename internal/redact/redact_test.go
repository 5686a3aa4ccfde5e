package redact

import "testing"

func redactedOf(text string, secrets ...string) string {
	var r Redactor
	r.Add(secrets...)
	return r.Redact(text, 1000)
}

func TestRedact(t *testing.T) {
	tests := []struct {
		name, text string
		secrets    []string
		want       string
	}{
		{"none", "a text", nil, "a text"},
		{"twice", "hunter2 is hunter2", []string{"hunter2"}, "*** is ***"},
		{"one is a part of another", "hunter2000", []string{"hunter2", "hunter2000"}, "***"},
		{"two overlap: nothing of either is left", "abcdef", []string{"abcd", "cdef"}, "***"},
		{"a part of it ends another", "xabcabcd", []string{"abcabce", "cabcd"}, "xab***"},
		{"too short to be redacted", "the the", []string{"the"}, "the the"},
		{"quoted as JSON", `"a\"b\u003cc"`, []string{`a"b<c`}, `"***"`},
		{"quoted as JSON, twice", `"{\"p\":\"a\\\"b\\u003cc\"}"`, []string{`a"b<c`}, `"{\"p\":\"***\"}"`},
		{"quoted as Go", `"a\tbcd\x00"`, []string{"a\tbcd\x00"}, `"***"`},
		{"in a query", "?p=a+b%2Fc", []string{"a b/c"}, "?p=***"},
		{"in a path", "/a%20b%2Fc", []string{"a b/c"}, "/***"},
		{"in small hexadecimal letters", "/a%20b%2fc", []string{"a b/c"}, "/***"},
		{"its bytes", "[104 117 110 116]", []string{"hunt"}, "[***]"},
		{"its bytes as Go", "[]byte{0x68, 0x75, 0x6e, 0x9}", []string{"hun\t"}, "[]byte{***}"},
		{"its bytes with a letter behind them", "got 68 75 6e 74s", []string{"hunt"}, "got ***s"},
		{"its runes in quotes", "got '['h' 'u' 'n' 't']'", []string{"hunt"}, "got '[***]'"},
		{"its characters in a list of lists", "[[  u n t] [a]]", []string{" unt"}, "[*** [a]]"},
		{"its bytes as JSON", `{"a":"aHVudGVyMg=="}`, []string{"hunter2"}, `{"a":"***=="}`},
		{"in hexadecimal", "68756e74 68756E74", []string{"hunt"}, "*** ***"},
		{"in hexadecimal after a letter that is a digit", "id68756e74", []string{"hunt"}, "id***"},
		{"quoted as ASCII", `"\u00e9t\u00e9"`, []string{"été"}, `"***"`},
		{"beyond the first 64k characters", `"\ud83d\ude00\U0001f600"`, []string{"😀😀"}, `"***"`},
		{"a quote at its end", `it is abc"`, []string{`abc"`}, "it is ***"},
		{"a control character in it", "is ab\x01cd.", []string{"ab\x01cd"}, "is ***."},
		{"complete only without a control character", "is ab\x01cd.", []string{"abcd"}, "is ***."},
		{"its control character is gone", "is abcd.", []string{"ab\x01cd"}, "is ***."},
		{"its line end became a space", "is ab cd.", []string{"ab\ncd\n"}, "is ***."},
		{"written with a line end, quoted", `is "ab\ncd\n".`, []string{"ab cd"}, `is "***\n".`},
		{"no UTF-8", "is \xff\xfe\xfd\xfc, or \ufffd\ufffd\ufffd\ufffd", []string{"\xff\xfe\xfd\xfc"}, "is ***, or ***"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := redactedOf(tt.text, tt.secrets...); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestRedactLines(t *testing.T) {
	var r Redactor
	r.Add("hunter2", "two\nlines")
	if got, want := r.RedactLines("goroutine 1\n\tmain hunter2\x1b\r\ntwo\nlines", 1000), "goroutine 1\nmain ***\n***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := r.RedactLines("hunter2\nmore", 100); got != "***\nmore" {
		t.Errorf("%q", got)
	}
}
