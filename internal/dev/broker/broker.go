// Package broker runs brokers as child processes, for tests and demonstrations: a NATS server, which it builds from its
// module, and the redis-server of the system. They listen on 127.0.0.1, and can be killed, started again and paused.
package broker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
)

// patience is how long a broker may take until it answers.
const patience = 30 * time.Second

// ErrMissing means that a broker is not installed; the text of the error says how to install it.
var ErrMissing = errors.New("not installed")

// Broker is a child process that is a broker. Its methods are not safe for concurrent use.
type Broker struct {
	// Addr is its host and port, the same each time it is started.
	Addr string

	program string
	args    []string
	ask     string   // what the broker is sent to find out whether it answers
	answers []string // how its first line may then begin

	process *os.Process
	ended   chan struct{}
	log     *tail
}

// Start starts a broker that was killed, with the data that it had, and waits until it answers.
func (b *Broker) Start(ctx context.Context) error {
	if b.process != nil {
		return errors.New("the broker is running")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	b.log = &tail{}
	cmd := exec.Command(b.program, b.args...) //nolint:noctx // it lives until Kill
	cmd.Stdout, cmd.Stderr = b.log, b.log
	endWithParent(cmd)
	started := make(chan error)
	b.ended = make(chan struct{})
	go func() {
		// The kernel ends the child with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- cmd.Start()
		if cmd.Process != nil {
			_ = cmd.Wait() // the end is what matters
		}
		close(b.ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	b.process = cmd.Process
	for {
		err := b.probe(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s does not answer: %w\n%s", b.program, err, b.log.text()), b.Kill())
		case <-b.ended:
			b.process = nil
			return fmt.Errorf("%s has ended:\n%s", b.program, b.log.text())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// probe returns nil if the broker answers.
func (b *Broker) probe(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", b.Addr)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written that matters
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte(b.ask)); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(b.answers, func(a string) bool { return strings.HasPrefix(line, a) }) {
		return fmt.Errorf("it says %q", line)
	}
	return nil
}

// Kill ends the broker at once, as kill -9 does, and waits for its end. One that has ended is no error.
func (b *Broker) Kill() error {
	if b.process == nil {
		return nil
	}
	if err := b.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-b.ended
	b.process = nil
	return nil
}

// Pause stops the broker with its connections open; Resume lets it go on.
func (b *Broker) Pause() error { return b.signal(true) }

// Resume lets a broker go on that was paused.
func (b *Broker) Resume() error { return b.signal(false) }

func (b *Broker) signal(pause bool) error {
	if b.process == nil {
		return errors.New("the broker is not running")
	}
	return pauseProcess(b.process, pause)
}

// start starts a broker on a port that is free. Others may take the port first; then the next one is tried.
func start(ctx context.Context, b *Broker, configure func(port string) error) (*Broker, error) {
	var problem error
	for range 5 {
		addr, err := freeport.Find(ctx)
		if err != nil {
			return nil, err
		}
		b.Addr = addr
		_, port, err := net.SplitHostPort(b.Addr)
		if err != nil {
			return nil, err
		}
		if err := configure(port); err != nil {
			return nil, err
		}
		if problem = b.Start(ctx); problem == nil {
			return b, nil
		}
	}
	return nil, problem
}

// tail keeps the last output of a process.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 16 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - tailSize; extra > 0 {
		t.kept = bytes.Clone(t.kept[extra:])
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
