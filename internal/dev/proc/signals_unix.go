//go:build unix

package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Pause stops the process as SIGSTOP does, and waits until it has stopped, for a second at most.
func (p *Process) Pause() error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for n := 0; n < 1000 && !stopped(p.PID()); n++ {
		time.Sleep(time.Millisecond)
	}
	return nil
}

// stopped reports whether all threads of a process have stopped, where the system tells; the signal takes a moment.
func stopped(pid int) bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(threads) == 0 {
		time.Sleep(100 * time.Millisecond)
		return true
	}
	for _, name := range threads {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, state, _ := strings.Cut(string(text), ") ")
		if !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}

// Continue lets it go on.
func (p *Process) Continue() error { return p.Signal(syscall.SIGCONT) }

// Arm sets the failpoint of a replica.
func (p *Process) Arm() error { return p.Signal(syscall.SIGUSR1) }
