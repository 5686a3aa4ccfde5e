package engine

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"
)

// draw returns the next number of the stack's own sequence: the same for the
// same seed, name and history.
func (s *Stack) draw() uint64 {
	s.Drawn++
	return mix(s.Options.Seed ^ hash(s.Name) + s.Drawn*0x9e3779b97f4a7c15)
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uuid returns a UUID of a version: 1 in a stack's ID, 4 elsewhere.
func uuid(version byte, a, b uint64) string {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], a&^0xf000|uint64(version)<<12)
	binary.BigEndian.PutUint64(raw[8:], b&^(3<<62)|2<<62)
	text := hex.EncodeToString(raw[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func (s *Stack) uuid(version byte) string { return uuid(version, s.draw(), s.draw()) }

func (s *Stack) newID() string {
	o := &s.Options
	return "arn:" + PartitionOf(o.Region).Name + ":cloudformation:" + o.Region + ":" + o.Account + ":stack/" + s.Name + "/" + s.uuid(1)
}

const (
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	mixed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// generateID returns a physical ID as CloudFormation makes one up where it never learned one: the
// stack, the logical ID and 13 upper-case letters and digits, or 12 of both cases [O].
func (s *Stack) generateID(logicalID string) string {
	if s.Options.MixedCaseIDs {
		return s.NameOf(logicalID)
	}
	return s.suffix(s.Name+"-"+logicalID, upper, 13)
}

// NameOf returns the name that CloudFormation gives a native resource without
// one of its own: it ends in 12 letters and digits of both cases [O].
func (s *Stack) NameOf(logicalID string) string { return s.suffix(s.Name+"-"+logicalID, mixed, 12) }

// maxNestedName is how long a nested stack's name is at most, without its suffix: the
// parent's name is in front, and what does not fit is cut off the end [O].
const maxNestedName = 86

// nestedName returns the name of a nested stack: it ends in 12 upper-case letters and digits [O].
func (s *Stack) nestedName(logicalID string) string {
	name := s.Name + "-" + logicalID
	return s.suffix(name[:min(len(name), maxNestedName)], upper, 12)
}

// suffix appends n characters of an alphabet to a name.
func (s *Stack) suffix(name, alphabet string, n int) string {
	out := []byte(name + "-")
	v := s.draw()
	for range n {
		out = append(out, alphabet[v%uint64(len(alphabet))])
		v = mix(v)
	}
	return string(out)
}

// Fill fills in a form that the physical IDs, ARNs or attributes of a type have. In it {p}, {s}, {r} and {a} stand for
// partition, the suffix of its hosts, region and account, {id} for a name, {hex} for 17 hexadecimal digits that belong to the name, {HEX} for
// them in upper case, {hex16}, {hex10} and {hex6} for fewer, {bytes} for two bytes of an address, and {uuid} for a UUID.
func (s *Stack) Fill(form, id string) string {
	h := hash(s.ID, id)
	digits := fmt.Sprintf("%016x%016x", h, mix(h))
	partition := PartitionOf(s.Options.Region)
	return strings.NewReplacer("{p}", partition.Name, "{s}", partition.Suffix, "{r}", s.Options.Region, "{a}", s.Options.Account, "{id}", id,
		"{hex}", digits[:17], "{HEX}", strings.ToUpper(digits[:17]), "{hex6}", digits[:6], "{bytes}", fmt.Sprintf("%d.%d", h>>8&0xff, h&0xff),
		"{hex16}", digits[:16], "{hex10}", digits[:10], "{uuid}", uuid(4, h, mix(h))).Replace(form)
}
