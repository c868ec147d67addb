//go:build !unix

package files

// Other systems need no flags: a name in a directory is never that of something whose opening waits.
const openFlags, dirFlags = 0, 0
