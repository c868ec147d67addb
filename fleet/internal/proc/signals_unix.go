//go:build unix

package proc

import "syscall"

// Pause stops the process as SIGSTOP does, and Continue lets it go on. Arm sets the failpoint of a replica.
func (p *Process) Pause() error    { return p.Signal(syscall.SIGSTOP) }
func (p *Process) Continue() error { return p.Signal(syscall.SIGCONT) }
func (p *Process) Arm() error      { return p.Signal(syscall.SIGUSR1) }
