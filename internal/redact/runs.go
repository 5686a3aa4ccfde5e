package redact

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

// hexPair reads pairs of hexadecimal digits. What stands before them may look like
// another digit, so they begin at even places or at odd ones.
func hexPair(phase int) unit {
	return func(out, rest []byte, at int, _ bool) (_ []byte, size int) {
		if b, ok := hexadecimal(rest, 0, 2); ok && at%2 == phase {
			return append(out, byte(b)), 2
		}
		return out, 0
	}
}

// base64Group reads groups of four letters of base64, of either alphabet. For the
// same reason they begin at each fourth place.
func base64Group(phase int) unit {
	return func(out, rest []byte, at int, _ bool) (_ []byte, size int) {
		if at%4 != phase {
			return out, 0
		}
		bits := 0
		for size < min(len(rest), 4) {
			six := int(worth[rest[size]])
			if six == 0 {
				break
			}
			bits = bits<<6 | (six - 1)
			size++
		}
		switch size { // the last group may be shorter
		case 4:
			return append(out, byte(bits>>16), byte(bits>>8), byte(bits)), size
		case 3:
			return append(out, byte(bits>>10), byte(bits>>2)), size
		case 2:
			return append(out, byte(bits>>4)), size
		}
		return out, 0
	}
}

// worth has what each letter of base64 stands for, and one more: the two alphabets
// differ in the last two.
var worth = func() (of [256]byte) {
	for i := range base64Letters {
		of[base64Letters[i]] = byte(i + 1)
	}
	of['-'], of['_'] = of['+'], of['/']
	return of
}()
