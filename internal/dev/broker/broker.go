// Package broker runs brokers as child processes, for tests and demonstrations: a NATS server, which it builds from its
// module, and the redis-server of the system. They listen on 127.0.0.1, and can be killed, started again and paused.
package broker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/freeport"
	"github.com/mcpgen/mcpgen/internal/dev/proc"
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
	log     string   // the file
	process *proc.Process
}

// Start starts a broker that was killed, with the data that it had, and waits until it answers.
func (b *Broker) Start(ctx context.Context) error {
	if b.process != nil {
		return errors.New("the broker is running")
	}
	p, err := proc.Start(b.log, nil, b.program, b.args...)
	if err != nil {
		return err
	}
	if err := proc.Await(ctx, p, patience, func() error { return b.probe(ctx) }); err != nil {
		p.Kill()
		return fmt.Errorf("%s does not answer: %w", b.program, err)
	}
	b.process = p
	return nil
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
	if b.process != nil {
		b.process.Kill()
		b.process = nil
	}
	return nil
}

// Pause stops the broker with its connections open; Resume lets it go on.
func (b *Broker) Pause() error { return b.process.Pause() }

// Resume lets a broker go on that was paused.
func (b *Broker) Resume() error { return b.process.Continue() }

// start starts a broker on a port that is free, with a log in dir. Others may take the port first; then the next one is
// tried.
func start(ctx context.Context, dir string, b *Broker, configure func(port string) error) (*Broker, error) {
	b.log = filepath.Join(dir, "broker.log")
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
