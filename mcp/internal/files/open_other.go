//go:build !unix

package files

// Elsewhere a name is not open to anything that waits.
const openFlags, dirFlags = 0, 0
