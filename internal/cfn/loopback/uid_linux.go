package loopback

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
)

// uidOf returns the user whose socket is a TCP connection's end at peer, the
// other end being own. The kernel lists all sockets with their users, and those that are
// closed as of nobody: their inode is 0, and so is their user.
func uidOf(peer, own net.Addr) (uid int, ok bool) {
	from, errFrom := netip.ParseAddrPort(peer.String())
	to, errTo := netip.ParseAddrPort(own.String())
	if errFrom != nil || errTo != nil {
		return 0, false
	}
	if uid, ok := ask(from, to); ok {
		return uid, true
	}
	for _, table := range []struct {
		file string
		six  bool
	}{{"/proc/self/net/tcp", false}, {"/proc/self/net/tcp6", true}} {
		text, err := os.ReadFile(table.file)
		if err != nil {
			continue
		}
		if uid, ok := search(text, ends(from, to, table.six)); ok {
			return uid, true
		}
	}
	return 0, false
}

// ends is a connection as the tables have it: " LOCAL:PORT REMOTE:PORT ".
func ends(local, remote netip.AddrPort, six bool) string {
	return " " + end(local, six) + " " + end(remote, six) + " "
}

// end is an address in words of 32 bits in the machine's order, and the port.
func end(a netip.AddrPort, six bool) string {
	raw := a.Addr().Unmap().AsSlice()
	if six {
		all := a.Addr().As16()
		raw = all[:]
	}
	var text []byte
	for ; len(raw) >= 4; raw = raw[4:] {
		text = fmt.Appendf(text, "%08X", binary.NativeEndian.Uint32(raw))
	}
	return fmt.Sprintf("%s:%04X", text, a.Port())
}

// search finds a connection's row, and in it the user.
func search(table []byte, ends string) (uid int, ok bool) {
	for row := range bytes.Lines(table) {
		if !bytes.Contains(row, []byte(ends)) {
			continue
		}
		// sl local remote state queues timer retransmits uid timeout inode …
		fields := bytes.Fields(row)
		if len(fields) < 10 || string(fields[9]) == "0" {
			return 0, false
		}
		uid, err := strconv.Atoi(string(fields[7]))
		return uid, err == nil
	}
	return 0, false
}
