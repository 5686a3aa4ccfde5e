package source

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// maxSimilar is how long a name may be, in bytes, to be compared with others: nobody misspells a longer
// one, and a template can have hundreds of them.
const maxSimilar = 100

// Nearest is the known name that a misspelled one most likely means, or "": it differs in its case,
// and in a third of its letters at the most, which are no more than 3.
func Nearest(name string, known iter.Seq[string]) string {
	return Within(max(1, min(3, len(name)/3)), name, known)
}

// Within is the known name that differs from another least, by its case and so many letters at the
// most, or "".
func Within(letters int, name string, known iter.Seq[string]) string {
	if len(name) > maxSimilar {
		return ""
	}
	best, least := "", letters+1
	for _, candidate := range slices.Sorted(known) {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate), least); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// DidYouMean is a clause for the end of a message: the nearest name, else the few names there are,
// else nothing.
func DidYouMean(name string, known iter.Seq[string]) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	all := slices.Sorted(known)
	switch {
	case len(all) == 0:
		return "; there is none in this template"
	case len(all) <= 12:
		return "; choose from " + strings.Join(all, ", ")
	}
	return ""
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour to turn
// a into b, or limit if it is that or more. Its cost is the length times the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = min(j, limit)
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = min(i+1, limit)
		from, to := max(0, i-limit), min(len(b), i+limit+1)
		if from > 0 {
			row[from] = limit // farther from the diagonal, the distance exceeds the limit
		}
		if to < len(b) {
			row[to+1] = limit
		}
		for j := from; j < to; j++ {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return min(row[len(b)], limit)
}
