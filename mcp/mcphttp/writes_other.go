//go:build !unix

package mcphttp

import "net"

// writeNow writes nothing: connections cannot be written here without waiting.
func writeNow(net.Conn, []byte) (n int) { return 0 }
