//go:build !linux

package eventlog

import "net"

// leavers notices when clients close connections that nobody reads from.
type leavers struct{}

// watch calls gone once the client or the caller has closed conn. Call stop before conn is closed.
func (*leavers) watch(conn net.Conn, gone func()) (stop func()) {
	go read(conn, gone)
	return func() {}
}
