//go:build unix

package proc

import "syscall"

// Pause stops the process as SIGSTOP does.
func (p *Process) Pause() error { return p.Signal(syscall.SIGSTOP) }

// Continue lets it go on.
func (p *Process) Continue() error { return p.Signal(syscall.SIGCONT) }

// Arm sets the failpoint of a replica.
func (p *Process) Arm() error { return p.Signal(syscall.SIGUSR1) }
