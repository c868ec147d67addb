//go:build !unix

package proc

import "errors"

var errSignals = errors.New("this system has no such signal")

// Pause stops the process as SIGSTOP does, and Continue lets it go on. Arm sets the failpoint of a replica.
func (p *Process) Pause() error    { return errSignals }
func (p *Process) Continue() error { return errSignals }
func (p *Process) Arm() error      { return errSignals }
