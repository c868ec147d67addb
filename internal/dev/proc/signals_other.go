//go:build !unix

package proc

import "errors"

var errSignals = errors.New("this system has no such signal")

// Pause stops the process as SIGSTOP does.
func (p *Process) Pause() error { return errSignals }

// Continue lets it go on.
func (p *Process) Continue() error { return errSignals }

// Arm sets the failpoint of a replica.
func (p *Process) Arm() error { return errSignals }
