//go:build unix

package limits

import (
	"net"
	"syscall"
)

// writeNow writes what a connection takes without waiting, whatever its deadline, and returns how much that is.
func writeNow(c net.Conn, b []byte) (n int) {
	control(c, func(fd int) {
		for n < len(b) {
			m, err := syscall.Write(fd, b[n:])
			if m > 0 {
				n += m
			} else if err != syscall.EINTR {
				return
			}
		}
	})
	return n
}

// readNow reads what has come, whatever the deadline, and returns how much that is.
func readNow(c net.Conn, b []byte) (n int) {
	control(c, func(fd int) {
		m, err := syscall.Read(fd, b)
		for err == syscall.EINTR {
			m, err = syscall.Read(fd, b)
		}
		n = max(m, 0)
	})
	return n
}

// control calls do with the descriptor of a connection, unless it has none or is closed.
func control(c net.Conn, do func(fd int)) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := s.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // whose error means that it is closed
	}
}
