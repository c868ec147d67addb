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

// hasGone reports whether the other side of a TCP connection has closed it, whatever is still to be read.
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

// firstByte is the first byte in memory of the four that GetsockoptInt has read: of a struct here, not of a number.
func firstByte(n int) byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(n))
	return b[0]
}
