//go:build !unix

package limits

// Descriptors returns 0: how many connections the process may have is not known.
func Descriptors() int64 { return 0 }

// tooManyFiles reports whether err says that the process has no descriptor left.
func tooManyFiles(error) bool { return false }
