package loopback

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
)

// Of sock_diag(7), which package syscall does not have.
const (
	sockDiag         = 4  // the protocol of netlink
	sockDiagByFamily = 20 // the type of a question, and of its answer
)

// uidOf returns the user whose socket is a TCP connection's end at peer, the other end being own.
// The kernel finds that one socket, however many others there are: to list them all in
// /proc/net/tcp takes it milliseconds, and a stranger's connections would cost that each.
func uidOf(peer, own net.Addr) (uid int, ok bool) {
	from, errFrom := netip.ParseAddrPort(peer.String())
	to, errTo := netip.ParseAddrPort(own.String())
	if errFrom != nil || errTo != nil {
		return 0, false
	}
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, sockDiag)
	if err != nil {
		return 0, false
	}
	defer func() { _ = syscall.Close(fd) }()

	// Ask with a header of 16 bytes, struct nlmsghdr, and struct inet_diag_req_v2.
	family := byte(syscall.AF_INET)
	if from.Addr().Is6() {
		family = syscall.AF_INET6
	}
	question := binary.NativeEndian.AppendUint32(nil, 72) // bytes in all
	question = binary.NativeEndian.AppendUint16(question, sockDiagByFamily)
	question = binary.NativeEndian.AppendUint16(question, syscall.NLM_F_REQUEST)
	question = append(question, make([]byte, 8)...) // no number, from nobody
	question = append(question, family, syscall.IPPROTO_TCP, 0, 0)
	question = append(question, 0xff, 0xff, 0xff, 0xff) // in any state
	question = append(question, between(from, to, family)...)
	question = append(question, 0, 0, 0, 0) // on any interface
	question = append(question, bytes.Repeat([]byte{0xff}, 8)...)
	if err := syscall.Sendto(fd, question, 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return 0, false
	}

	// The answer is there: the header, and struct inet_diag_msg with the family, what is between,
	// the user and the inode. One of a listener, or of a socket that is closed and so root's by its
	// number but nobody's, is none. A socket of IPv6 can be an end of a connection of IPv4, as Java's.
	answer := make([]byte, 1<<10)
	n, _, err := syscall.Recvfrom(fd, answer, syscall.MSG_DONTWAIT)
	if err != nil || n < 88 || binary.NativeEndian.Uint16(answer[4:]) != sockDiagByFamily || !bytes.HasPrefix(answer[20:], between(from, to, answer[16])) {
		return 0, false
	}
	user, inode := binary.NativeEndian.Uint32(answer[80:]), binary.NativeEndian.Uint32(answer[84:])
	return int(user), inode != 0
}

// between is the two ports and addresses as the kernel has them for a family, in 16 bytes each.
func between(local, remote netip.AddrPort, family byte) []byte {
	text := binary.BigEndian.AppendUint16(nil, local.Port())
	text = binary.BigEndian.AppendUint16(text, remote.Port())
	for _, a := range []netip.Addr{local.Addr(), remote.Addr()} {
		raw := a.As16()
		if family == syscall.AF_INET {
			raw = [16]byte{}
			copy(raw[:], a.AsSlice())
		}
		text = append(text, raw[:]...)
	}
	return text
}
