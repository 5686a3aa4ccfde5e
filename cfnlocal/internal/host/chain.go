package host

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxChain is how often a function may be invoked in a chain of invocations that
// invoke each other, unless its RecursiveLoop is Allow (AWS Lambda Developer
// Guide, "Use Lambda recursive loop detection": about 16).
const maxChain = 16

// A chain is the invocations that have led to one. Lambda tells it by X-Ray's header, which the AWS
// SDKs take from the invocation that they are used in: who sends none begins a chain.
type chain struct {
	root    string
	lineage []ancestor
}

// An ancestor is a function of a chain.
type ancestor struct {
	id    string // see chainID
	count int    // of the times that it was invoked again
}

const maxAncestors = 32

func newChain() chain {
	return chain{root: fmt.Sprintf("1-%08x-%s", uint32(time.Now().Unix()), randomHex(12))} //nolint:gosec // until 2106
}

var traceRoot = regexp.MustCompile(`^1-[0-9a-f]{8}-[0-9a-f]{24}$`)

// readChain reads the header of an invocation: Root=…;Parent=…;Sampled=0;Lineage=1:ID:COUNT,
// with |ID:COUNT for each further function. Lineage's form is known from headers
// that people have recorded. What is not understood begins a chain.
func readChain(header string) chain {
	c := newChain()
	if text, err := url.PathUnescape(header); err == nil { // the SDKs escape the bar
		header = text
	}
	for field := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(field, "=")
		switch {
		case name == "Root" && traceRoot.MatchString(value):
			c.root = value
		case name == "Lineage":
			for one := range strings.SplitSeq(value, "|") {
				parts := strings.Split(one, ":")
				count, err := strconv.ParseUint(parts[len(parts)-1], 10, 16)
				if err == nil && len(parts) > 1 && len(c.lineage) < maxAncestors {
					c.lineage = append(c.lineage, ancestor{parts[len(parts)-2], int(count)})
				}
			}
		}
	}
	return c
}

// count is how often the function of an ARN would have been invoked if it were next in the chain.
func (c chain) count(arn string) int {
	for _, a := range c.lineage {
		if a.id == chainID(arn) {
			return a.count + 2
		}
	}
	return 1
}

// header is X-Ray's header for the invocation of the function of an ARN, as the next of the chain.
func (c chain) header(arn string) string {
	lineage := []string{fmt.Sprintf("%s:%d", chainID(arn), c.count(arn)-1)}
	for _, a := range c.lineage {
		if a.id != chainID(arn) {
			lineage = append(lineage, fmt.Sprintf("%s:%d", a.id, a.count))
		}
	}
	return "Root=" + c.root + ";Parent=" + randomHex(8) + ";Sampled=0;Lineage=1:" + strings.Join(lineage, "|")
}

// chainID is what stands for a function in a chain, whatever it is qualified by.
func chainID(arn string) string {
	sum := sha256.Sum256([]byte(unqualified(arn)))
	return hex.EncodeToString(sum[:4])
}

// randomHex returns n random bytes in hexadecimal digits.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
