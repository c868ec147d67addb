//go:build !linux

package mcphttp

import "net"

// hasGone is not known.
func hasGone(net.Conn) bool { return false }
