//go:build unix

package broker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func pauseProcess(p *os.Process, pause bool) error {
	if !pause {
		return p.Signal(syscall.SIGCONT)
	}
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		if stopped(p.Pid) {
			break
		}
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
