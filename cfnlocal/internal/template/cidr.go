package template

import (
	"math/big"
	"net/netip"
	"strconv"
	"strings"
)

// cidr is Fn::Cidr: address ranges of one size, from the beginning of a larger one.
type cidr struct{}

func (cidr) compile(c *compiler, f call) expr {
	items := c.arguments(f, 2, 3)
	if items == nil {
		return invalidExpr{}
	}
	if len(items) == 2 {
		c.Errorf(f.argument, "what CloudFormation takes for the third argument of Fn::Cidr is not documented; write the bits of a range, as in %s", f.example)
		return invalidExpr{}
	}
	block := c.textual(items[0], "the address range of Fn::Cidr")
	amount := c.textual(items[1], "the count of Fn::Cidr")
	size := c.textual(items[2], "the bits of Fn::Cidr")
	return applied{[]expr{block, amount, size}, func(ev *evaluation) (any, error) {
		written, err := ev.text(block, f.at, "the address range of Fn::Cidr")
		if err != nil {
			return nil, err
		}
		count, err := ev.number(amount, f.at, "the count of Fn::Cidr", 1, maxRanges)
		if err != nil {
			return nil, err
		}
		prefix, err := netip.ParsePrefix(strings.TrimSpace(written))
		if err != nil {
			return nil, ev.fail(f.at, "the first argument of Fn::Cidr must be an address range such as 10.0.0.0/16, and this is none%s", ev.madeUp(block))
		}
		prefix = prefix.Masked()
		width := prefix.Addr().BitLen()
		bits, err := ev.number(size, f.at, "the bits of Fn::Cidr", 1, width)
		if err != nil {
			return nil, err
		}
		left := width - bits
		if left < prefix.Bits() || (left-prefix.Bits() < 9 && count > 1<<(left-prefix.Bits())) {
			return nil, ev.fail(f.at, "Fn::Cidr cannot cut %d ranges of %d bits from a range of %d bits; ask for fewer or smaller ones", count, bits, width-prefix.Bits())
		}
		if err := ev.spend(count*len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"), f.at); err != nil {
			return nil, err
		}
		return ranges(prefix.Addr(), count, bits), nil
	}}
}

// maxRanges is how many ranges Fn::Cidr makes at most, which its reference documents.
const maxRanges = 256

// ranges are count ranges of 2^bits addresses, the first of which begins at an address.
func ranges(from netip.Addr, count, bits int) []any {
	step := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	address := new(big.Int).SetBytes(from.AsSlice())
	all := make([]any, count)
	for i := range all {
		start, _ := netip.AddrFromSlice(address.FillBytes(make([]byte, from.BitLen()/8)))
		all[i] = start.String() + "/" + strconv.Itoa(from.BitLen()-bits)
		address.Add(address, step)
	}
	return all
}
