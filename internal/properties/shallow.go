package properties

import "bytes"

// maxJSONDepth is how deep encoding/json reads.
const maxJSONDepth = 10_000

// Shallow returns JSON text with null in the place of everything that is nested
// deeper than encoding/json reads, and whether there was any: what stands above
// can be read then. It does not judge whether the text is JSON.
func Shallow(raw []byte) (shallow []byte, deep bool) {
	depth, kept := 0, 0 // raw is copied up to kept
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '{', '[':
			if depth++; depth == maxJSONDepth+1 {
				shallow = append(append(shallow, raw[kept:i]...), "null"...)
				kept, deep = len(raw), true
			}
		case '}', ']':
			if depth--; depth == maxJSONDepth {
				kept = i + 1
			}
		}
	}
	if !deep {
		return raw, false
	}
	return append(shallow, raw[kept:]...), true
}

// stringEnd returns the index of the closing quote of the string that begins at at, or
// the length of the text.
func stringEnd(raw []byte, at int) int {
	for i := at + 1; i < len(raw); {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			break
		}
		escapes := 0 // a quote after an even number of them is none of them's
		for escapes < n && raw[i+n-1-escapes] == '\\' {
			escapes++
		}
		if i += n; escapes%2 == 0 {
			return i
		}
		i++
	}
	return len(raw)
}
