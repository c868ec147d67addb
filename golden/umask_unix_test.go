//go:build unix

package golden

import "syscall"

// setUmask changes which permissions new files lack; restore changes it back.
func setUmask(mask int) (restore func()) {
	old := syscall.Umask(mask)
	return func() { syscall.Umask(old) }
}
