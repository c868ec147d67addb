//go:build !linux

package attack

// resident returns zeros: this system does not say what a process has.
func (s *Process) resident() (now, peak int64) { return 0, 0 }

// forgetPeak does nothing.
func (s *Process) forgetPeak() {}
