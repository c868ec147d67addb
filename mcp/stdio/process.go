package stdio

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mcpgen/mcpgen/mcp/transport"
)

var errOwned = errors.New("stdio: another conn already owns standard input and output of this process; " +
	"a process has one stdio conn at a time, close the first one")

// owned is set while a conn owns the standard streams of the process.
var owned atomic.Bool

// process is the conn of this process.
type process struct {
	*stream
	restore   func() // undoes what takeOver did
	noSignals bool

	mu      sync.Mutex // guards the fields below
	closed  bool
	stopped chan struct{}
	done    chan struct{}  // ends the goroutine that waits for a signal
	signals chan os.Signal // nil until the first call of Stopped
}

func newProcess(o Options) transport.Conn {
	if !owned.CompareAndSwap(false, true) {
		return broken{errOwned}
	}
	in, out, restore, err := takeOver(!o.NoSignals)
	if err != nil {
		owned.Store(false)
		return broken{err}
	}
	return &process{
		stream:    newStream(in, out, o),
		restore:   restore,
		noSignals: o.NoSignals,
		stopped:   make(chan struct{}),
		done:      make(chan struct{}),
	}
}

// Name implements transport.Named.
func (p *process) Name() string { return "stdio" }

// Stopped implements transport.Stopper.
func (p *process) Stopped() <-chan struct{} {
	if p.noSignals {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.signals == nil && !p.closed {
		p.signals = make(chan os.Signal, 1)
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			if !signal.Ignored(s) {
				signal.Notify(p.signals, s)
			}
		}
		go p.await(p.signals)
	}
	return p.stopped
}

// await waits for the first signal. It then stops catching signals, so that the next one ends a process that hangs.
func (p *process) await(signals chan os.Signal) {
	select {
	case <-signals:
		signal.Stop(signals)
		close(p.stopped)
	case <-p.done:
	}
}

// Close implements transport.Conn.
func (p *process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	close(p.done)
	if p.signals != nil {
		signal.Stop(p.signals)
	}
	p.restore()
	err := p.stream.Close()
	owned.Store(false)
	return err
}

// broken is a conn that could not be opened.
type broken struct{ err error }

// ReadMessage implements transport.Conn.
func (b broken) ReadMessage(buf []byte) ([]byte, error) { return buf[:0], b.err }

// WriteMessage implements transport.Conn.
func (b broken) WriteMessage([]byte) error { return b.err }

// Close implements transport.Conn.
func (b broken) Close() error { return nil }
