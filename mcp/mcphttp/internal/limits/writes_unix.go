//go:build unix

package limits

import (
	"net"
	"syscall"
)

// writeNow writes what a connection takes without waiting, whatever its deadline, and returns how much that is.
func writeNow(c net.Conn, b []byte) (n int) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) { // whose error means that it is closed
		for n < len(b) {
			m, err := syscall.Write(int(fd), b[n:])
			if m > 0 {
				n += m
			} else if err != syscall.EINTR {
				return
			}
		}
	})
	return n
}
