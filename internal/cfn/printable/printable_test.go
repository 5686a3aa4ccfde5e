package printable

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// hostile are the characters that never pass, by what they would do.
var hostile = map[string][][2]rune{
	"control characters, which begin escape sequences": {{0x00, 0x08}, {0x0B, 0x1F}, {0x7F, 0x9F}},
	"marks of the direction of writing":                {{0x061C, 0x061C}, {0x200E, 0x200F}},
	"embeddings, overrides and isolates":               {{0x202A, 0x202E}, {0x2066, 0x2069}},
	"separators of lines and paragraphs":               {{0x2028, 0x2029}},
	"invisible characters":                             {{0x00AD, 0x00AD}, {0x200B, 0x200B}, {0x2060, 0x2064}, {0x206A, 0x206F}, {0xFEFF, 0xFEFF}},
	"tags, which spell invisible text":                 {{0xE0001, 0xE0001}, {0xE0020, 0xE007F}},
}

func TestHostileCharactersNeverPass(t *testing.T) {
	for what, ranges := range hostile {
		for _, span := range ranges {
			for r := span[0]; r <= span[1]; r++ {
				text := "a" + string(r) + "b"
				for name, got := range map[string]string{"Text": Text(text), "Line": Line(text)} {
					if got != "a\uFFFDb" {
						t.Errorf("%s: %s lets %U through", what, name, r)
					}
				}
				document, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.ContainsRune(JSON(document), r) || bytes.ContainsRune(XML([]byte(text)), r) {
					t.Errorf("%s: JSON or XML lets %U through", what, r)
				}
			}
		}
	}
}

func TestTextIsShown(t *testing.T) {
	for _, tt := range []struct{ reason, text, line string }{
		{"an escape sequence is text without what begins it", "a\x1b[2Jb\u009bc", "a\uFFFD[2Jb\uFFFDc"},
		{"bytes that are no UTF-8 could be C1 controls", "a\x9b31mb", "a\uFFFD31mb"},
		{"a line feed would forge a line, and a carriage return overwrite one", "a\nb\rc", "a\uFFFDb\uFFFDc"},
		{"letters of all scripts, marks on them, and emoji are text", "é ק ش می\u200Cخواهم क्\u200Dष 👩\u200D💻\t€", "é ק ش می\u200Cخواهم क्\u200Dष 👩\u200D💻\t€"},
	} {
		if diff := cmp.Diff(tt.line, Line(tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
	if got := Text("a\nb\r\n"); got != "a\nb\uFFFD\n" {
		t.Errorf("Text keeps line feeds only: %q", got)
	}
}

func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{"", "a\nb\tc", "\x1b]0;title\a", "\u202Egnp.exe", "\xff\x9b", "\U000E0041\ufeff", `{"a":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, line := Text(s), Line(s)
		switch {
		case !utf8.ValidString(text), utf8.RuneCountInString(text) != utf8.RuneCountInString(s):
			t.Errorf("%q became %q: a character for a character, in UTF-8", s, text)
		case Text(text) != text, Line(line) != line:
			t.Errorf("%q is not replaced at once", s)
		case strings.ReplaceAll(text, "\n", "\uFFFD") != line:
			t.Errorf("%q: Text and Line differ in more than line feeds", s)
		case strings.ContainsFunc(line, isHostile):
			t.Errorf("%q became %q", s, line)
		}
		document, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		escaped := JSON(document)
		var before, after string
		if err := json.Unmarshal(document, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(escaped, &after); err != nil || after != before || strings.ContainsFunc(string(escaped), isHostile) {
			t.Errorf("%s became %s, %v", document, escaped, err)
		}
	})
}

// isHostile reports whether a character is one of hostile, or a line feed.
func isHostile(r rune) bool {
	for _, ranges := range hostile {
		for _, span := range ranges {
			if span[0] <= r && r <= span[1] {
				return true
			}
		}
	}
	return r == '\n'
}

// A shell reads a word as the text that it was.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		".cfnlocal/shop.json": ".cfnlocal/shop.json",
		"my stacks/shop.json": "'my stacks/shop.json'",
		"it's; $HOME":         `'it'\''s; $HOME'`,
		"":                    "''",
	} {
		if got := Word(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// A text is cut between characters, and says that it is.
func TestCut(t *testing.T) {
	for _, test := range []struct{ text, want string }{{"", ""}, {"abcd", "abcd"}, {"abcde", "abcd…"}, {"abcé", "abc…"}} {
		if got := Cut(test.text, 4); got != test.want {
			t.Errorf("%q is cut to %q, want %q", test.text, got, test.want)
		}
	}
}
