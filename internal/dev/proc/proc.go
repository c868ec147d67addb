// Package proc starts processes and does to them what happens to processes: they are killed, paused and measured.
package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Process is a process that this one has started. It is safe for concurrent use.
type Process struct {
	cmd  *exec.Cmd
	log  string // the file
	done chan struct{}
}

// Start starts a program that writes what it has to say to the end of a file.
func Start(logFile string, env []string, name string, args ...string) (*Process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(name, args...) //nolint:noctx // it ends when it is killed, which is what this package is about
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), env...)
	setDeath(cmd)
	p := &Process{cmd: cmd, log: logFile, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ends the child with the thread that has started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // that it has ended is what matters
		}
		_ = log.Close()
		close(p.done)
	}()
	return p, <-started
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process at once and waits until it has gone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop asks the process to end, and kills it if it has not after a while.
func (p *Process) Stop(patience time.Duration) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		p.Kill()
	}
}

// AwaitPort waits until something takes connections at an address.
func AwaitPort(ctx context.Context, p *Process, addr string, patience time.Duration) error {
	return Await(ctx, p, patience, func() error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err
	})
}

// Unready asks the server at an address whether it is ready: it returns what /readyz says, "" if that is yes.
func Unready(ctx context.Context, addr string) (why string, err error) {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return "", err
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	if res.StatusCode == http.StatusOK {
		return "", nil
	}
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusServiceUnavailable {
		err = errors.Join(err, fmt.Errorf("%s: %s", req.URL, res.Status))
	}
	return cmp.Or(strings.TrimSpace(string(body)), res.Status), err
}

// AwaitReady waits until the server at an address says that it is ready.
func AwaitReady(ctx context.Context, p *Process, addr string, patience time.Duration) error {
	return Await(ctx, p, patience, func() error {
		why, err := Unready(ctx, addr)
		if err == nil && why != "" {
			err = fmt.Errorf("%s is not ready: %s", addr, why)
		}
		return err
	})
}

// Await waits until ok returns nil. Its error is that of ok, or has the end of the log if the process has ended.
func Await(ctx context.Context, p *Process, patience time.Duration, ok func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ok()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			said, _ := os.ReadFile(p.log)
			return fmt.Errorf("it has ended: %w; it says: %s", err, said[max(0, len(said)-1000):])
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
