//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// takeOver makes private copies of the standard streams and points fd 0 at the null device and fd 1 at stderr. If
// signals is set, it also catches SIGPIPE, which Go raises for fd 1 and 2 only and which would end the process.
func takeOver(signals bool) (in io.Reader, out io.Writer, restore func(), err error) {
	// os.Open would start the poller of the Go runtime, which nothing else in a server on stdio needs.
	null, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("stdio: open %s: %w", os.DevNull, err)
	}
	defer syscall.Close(null)
	rfd, err := duplicate(syscall.Stdin)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("stdio: standard input: %w", err)
	}
	wfd, err := duplicate(syscall.Stdout)
	if err != nil {
		syscall.Close(rfd)
		return nil, nil, nil, fmt.Errorf("stdio: standard output: %w", err)
	}
	// undo must run before the copies are closed.
	undo := func() {
		_ = dup2(rfd, syscall.Stdin)
		_ = dup2(wfd, syscall.Stdout)
	}
	if err := errors.Join(dup2(null, syscall.Stdin), dup2(syscall.Stderr, syscall.Stdout)); err != nil {
		undo()
		syscall.Close(rfd)
		syscall.Close(wfd)
		return nil, nil, nil, fmt.Errorf("stdio: redirect standard streams: %w", err)
	}
	pipes := make(chan os.Signal, 1) // nobody receives: being notified is enough
	if signals {
		signal.Notify(pipes, syscall.SIGPIPE)
	}
	putBack := redirectVariable()
	restore = func() {
		putBack()
		undo()
		signal.Stop(pipes)
	}
	return blocking{os.NewFile(uintptr(rfd), "stdin")}, blocking{os.NewFile(uintptr(wfd), "stdout")}, restore, nil
}

// duplicate returns a copy of fd in blocking mode, which children do not inherit. A blocking read is cheaper than one
// by the poller of the Go runtime, which would hand the message from thread to thread.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, err := syscall.Dup(fd)
	if err != nil {
		return 0, err
	}
	if n <= syscall.Stderr {
		syscall.Close(n)
		return 0, fmt.Errorf("file descriptor %d was closed by this process", n)
	}
	syscall.CloseOnExec(n)
	if err := syscall.SetNonblock(n, false); err != nil {
		syscall.Close(n)
		return 0, err
	}
	return n, nil
}

// blocking is a file outside of the poller. Another process that shares the open file, such as the shell of a terminal,
// can make it non-blocking at any time; then it is made blocking again.
type blocking struct{ *os.File }

// Read implements io.Reader.
func (b blocking) Read(p []byte) (int, error) {
	for {
		n, err := b.File.Read(p)
		if n > 0 || !b.retry(err) {
			return n, err
		}
	}
}

// Write implements io.Writer.
func (b blocking) Write(p []byte) (int, error) {
	done := 0
	for {
		n, err := b.File.Write(p[done:])
		if done += n; !b.retry(err) {
			return done, err
		}
	}
}

// retry turns the non-blocking mode off if err came from it. It reports whether the caller can try again.
func (b blocking) retry(err error) bool {
	if err == nil || !errors.Is(err, syscall.EAGAIN) {
		return false
	}
	raw, err := b.SyscallConn()
	if err != nil {
		return false
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = syscall.SetNonblock(int(fd), false) })
	return err == nil && set == nil
}
