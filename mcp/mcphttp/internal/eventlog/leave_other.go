//go:build !linux

package eventlog

import "net"

// leavers tells when clients close their connections, which nobody reads from.
type leavers struct{}

// watch calls gone when the client of conn has closed it. The caller closes conn after stop.
func (*leavers) watch(conn net.Conn, gone func()) (stop func()) {
	go read(conn, gone)
	return func() {}
}
