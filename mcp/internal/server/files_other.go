//go:build !unix

package server

// Elsewhere a name is not open to anything that waits.
const openFlags, dirFlags = 0, 0
