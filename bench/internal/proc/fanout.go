//go:build unix

package proc

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Audience are streams that are subscribed to one resource, each on a connection of its own.
type Audience struct {
	web    *Web
	mark   []byte // of an update
	conns  []*Conn
	events atomic.Int64  // updates that have arrived at all streams together
	more   chan struct{} // tells that events has changed
}

// Audience opens n streams.
func (w *Web) Audience(n int, era work.Era, sessions bool) (*Audience, error) {
	return w.gather(n, "resources/updated", func(c *Conn) error { return subscribe(c, era, sessions) })
}

// Listeners opens n streams of 2026-07-28 with a request. What they are told has mark in it.
func (w *Web) Listeners(n int, listen, mark string) (*Audience, error) {
	return w.gather(n, mark, func(c *Conn) error { return c.Stream(work.Modern, listen) })
}

// gather opens n streams.
func (w *Web) gather(n int, mark string, open func(*Conn) error) (*Audience, error) {
	a := &Audience{web: w, mark: []byte(mark), more: make(chan struct{}, 1)}
	for range n {
		c, err := w.Dial()
		if err != nil {
			return a, err
		}
		a.conns = append(a.conns, c)
		if err := open(c); err != nil {
			return a, err
		}
		_ = c.conn.SetDeadline(time.Time{})
		go a.read(c)
	}
	return a, nil
}

// subscribe opens the session and the stream of one subscriber.
func subscribe(c *Conn, era work.Era, sessions bool) error {
	if sessions && era == work.Legacy {
		if err := c.Open(era); err != nil {
			return err
		}
		_, body, err := c.exchange(c.render(http.MethodPost, era, work.Subscribe))
		if err != nil {
			return err
		}
		if !bytes.Contains(body, []byte(`"result"`)) {
			return fmt.Errorf("subscribe: %.200s", body)
		}
	}
	return c.Stream(era, work.ListenNews)
}

// read counts the updates on one connection until it ends.
func (a *Audience) read(c *Conn) {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return
		}
		if bytes.Contains(line, a.mark) {
			a.events.Add(1)
			select {
			case a.more <- struct{}{}:
			default:
			}
		}
	}
}

// Close ends all streams.
func (a *Audience) Close() {
	for _, c := range a.conns {
		c.Close()
	}
}

var errLost = errors.New("an update did not arrive")

// Publish has the resource change n times, each time when all streams have got the update before, and pause later. It
// returns the time from a change to the last stream, and the CPU time of the server for each stream and update.
func (a *Audience) Publish(n int, pause time.Duration) (Slice, error) {
	var took []time.Duration
	before := cpuTime(a.web.cmd.Process.Pid)
	late := time.NewTimer(patience)
	defer late.Stop()
	for range n {
		time.Sleep(pause)
		start, want := time.Now(), a.events.Load()+int64(len(a.conns))
		r, err := http.Get("http://" + a.web.addr + "/publish")
		if err != nil {
			return Slice{}, err
		}
		_ = r.Body.Close()
		for late.Reset(patience); a.events.Load() < want; {
			select {
			case <-a.more:
			case <-late.C:
				return Slice{}, errLost
			}
		}
		took = append(took, time.Since(start))
	}
	used := cpuTime(a.web.cmd.Process.Pid) - before
	return Slice{P50: quantile(took, 0.5), P95: quantile(took, 0.95),
		CPU: used / time.Duration(n*len(a.conns))}, nil
}
