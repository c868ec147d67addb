//go:build !unix

package mcp

// Elsewhere a name is not open to anything that waits.
const openFlags, dirFlags = 0, 0
