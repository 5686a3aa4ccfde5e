package host

import (
	"bufio"
	"io"
	"strings"
)

// maxLine is how long a line can be, in bytes, before it is cut into parts.
const maxLine = 256 << 10

// forEachLine calls do for every line of r, without its end, until r ends or fails.
func forEachLine(r io.Reader, do func(line string)) {
	lines := bufio.NewReaderSize(r, maxLine)
	for cut := false; ; {
		line, err := lines.ReadSlice('\n')
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		if len(line) > 0 && (!cut || text != "") { // the end of a line that was as long as may be
			do(text)
		}
		cut = err == bufio.ErrBufferFull
		if err != nil && !cut {
			return
		}
	}
}
