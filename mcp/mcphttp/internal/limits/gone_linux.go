package limits

import (
	"encoding/binary"
	"net"
	"syscall"
)

// States of a TCP connection, as the kernel numbers them (tcp(7), TCP_INFO).
const (
	tcpClose     = 7
	tcpCloseWait = 8 // the other side has closed
)

// hasGone reports whether the other side of a TCP connection has closed it, even if there is still something to read.
func hasGone(c net.Conn) (gone bool) {
	s, ok := c.(syscall.Conn)
	if !ok || c.RemoteAddr().Network() != "tcp" {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		info, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
		state := firstByte(info)
		gone = err == nil && (state == tcpClose || state == tcpCloseWait)
	})
	return err == nil && gone
}

// firstByte returns the first byte in memory of an int that GetsockoptInt has read. The option is a struct, and its
// first byte is the state.
func firstByte(n int) byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(n))
	return b[0]
}
