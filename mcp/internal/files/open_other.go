//go:build !unix

package files

// Other systems need no flags, because opening a file by a name in a directory never waits.
const openFlags, dirFlags = 0, 0
