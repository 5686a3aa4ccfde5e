package redact

// An encoding is one way to write bytes. A text is encoded in units, which stand for
// a byte or a few each.
type encoding struct {
	begins [256]bool // with which bytes a unit can begin, after what is none
	unit   unit
	least  int // how many of these bytes a run begins with that can hold a secret; 0 is 1

	// inPlace: units stand in a text that is otherwise plain, which a view keeps. Of
	// other encodings it keeps the runs of units alone.
	inPlace bool
	// beyondASCII: another encoding reads the same, but for what is not ASCII.
	beyondASCII bool
}

// A unit appends to out what the unit that rest begins with stands for, and returns
// the unit's length. The length is 0 if there is none. at is the place of rest in
// the text, and inside whether another unit ends there.
type unit func(out, rest []byte, at int, inside bool) (_ []byte, size int)

// encodings are those of fmt, encoding/json, net/url, encoding/hex and encoding/base64. Where a run
// does not say how it is to be read, each way has a row.
var encodings = []encoding{
	{begins: set(`\`), unit: backslash, inPlace: true},
	{begins: set("%"), unit: percent, inPlace: true},
	{begins: set(hexDigits), least: 2 * minSecret, unit: hexPair(0)},
	{begins: set(hexDigits), least: 2 * minSecret, unit: hexPair(1)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(0)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(1)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(2)},
	{begins: set(base64Letters), least: minSecret*4/3 + 1, unit: base64Group(3)},
	{begins: set("01"), unit: number(2, asByte)},
	{begins: set("01"), unit: number(2, asRune), beyondASCII: true},
	{begins: set("01234567"), unit: number(8, asByte)},
	{begins: set("01234567"), unit: number(8, asRune), beyondASCII: true},
	{begins: set("0123456789"), unit: number(10, asByte)},
	{begins: set("0123456789"), unit: number(10, asRune), beyondASCII: true},
	{begins: set(hexDigits + "U"), unit: number(16, asByte)},
	{begins: set(hexDigits + "U"), unit: number(16, asRune), beyondASCII: true},
	{begins: set("["), unit: character(' ', asRune)},
	{begins: set("["), unit: character(' ', asByte), beyondASCII: true},
	{begins: set("["), unit: character('+', asRune)},
	{begins: set("["), unit: character('+', asByte), beyondASCII: true},
	{begins: set("'"), unit: quotedCharacter},
}

func set(letters string) (in [256]bool) {
	for i := range len(letters) {
		in[letters[i]] = true
	}
	return in
}

// skip returns how many bytes of rest begin no run that can hold a secret.
func (e *encoding) skip(rest []byte) int {
	least := max(e.least, 1)
	if len(rest) < least {
		return len(rest)
	}
	for n := least; n > 0; n-- {
		if !e.begins[rest[n-1]] {
			return n
		}
	}
	return 0
}
