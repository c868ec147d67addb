//go:build !unix

package golden

// setUmask does nothing where there is no umask.
func setUmask(int) (restore func()) { return func() {} }
