//go:build unix

package limits

import (
	"net"
	"syscall"
)

// writeNow writes as much as a connection takes without waiting, even after its deadline. It returns the number of
// bytes.
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

// readNow reads what has arrived, even after the deadline. It returns the number of bytes.
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

// control calls the function do with the file descriptor of a connection, if it has one and is open.
func control(c net.Conn, do func(fd int)) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := s.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) }) // an error means that the connection is closed
	}
}
