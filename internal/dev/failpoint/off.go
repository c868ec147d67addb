//go:build !planted

package failpoint

// On reports whether the bug of a name is planted. Without the build tag planted none is.
func On(string) bool { return false }
