package attack

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"
)

// honestAddress is from where honest clients come over TCP: not from where hostile ones do.
const honestAddress = "127.0.0.200"

// way is how clients reach a server.
type way struct {
	proc     *Process
	to       address
	lines    *lines // on stdio
	patience time.Duration
}

// dial connects from an address, where the transport has any.
func (w *way) dial(ctx context.Context, from string) (*conn, error) {
	d := net.Dialer{Timeout: w.patience}
	network := "tcp"
	if w.to.transport == Unix {
		network = "unix"
	} else {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	c, err := d.DialContext(ctx, network, w.proc.Address)
	if err != nil {
		return nil, err
	}
	return newConn(c, w.patience), nil
}

// initialize is the request that opens a session.
func initialize(revision, capabilities string) *Message {
	return &Message{RPC: "initialize", ID: `"open"`, Params: fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,`+
		`"clientInfo":{"name":"attack","version":"1"}}`, revision, capabilities)}
}

// open opens a session on a connection.
func (w *way) open(c *conn, revision string) (to address, err error) {
	to = w.to
	to.session, to.revision = "", revision
	if !c.send(initialize(revision, to.capabilities).text(&to, 0), w.patience) {
		return to, fmt.Errorf("initialize cannot be sent")
	}
	kind, resp, _ := c.read(Reply)
	if kind != "200 result" {
		return to, fmt.Errorf("initialize: %s", kind)
	}
	to.session = resp.Header.Get("Mcp-Session-Id")
	done := Message{RPC: "notifications/initialized", ID: "-"}
	c.send(done.text(&to, 0), w.patience)
	if kind, _, _ := c.read(Reply); !strings.HasPrefix(kind, "20") {
		return to, fmt.Errorf("notifications/initialized: %s", kind)
	}
	return to, nil
}

var nonces atomic.Int64

// ask is one honest client: it opens a connection, and a session if there are any, calls a tool, checks the answer, and
// leaves.
func (w *way) ask(ctx context.Context, name string) error {
	nonce := fmt.Sprintf("nonce %d", nonces.Add(1))
	m := tool(name, fmt.Sprintf(`"text":%q`, nonce))
	if w.to.transport == Stdio {
		kind, text := w.lines.call(&m, &w.to, w.patience)
		return right(kind, text, nonce, "result")
	}
	if w.to.transport == Events {
		return w.askEvents(ctx, &m, nonce)
	}
	c, err := w.dial(ctx, honestAddress)
	if err != nil {
		return err
	}
	defer c.Close()
	to := w.to
	if to.transport == Sessions {
		if to, err = w.open(c, "2025-11-25"); err != nil {
			return err
		}
		defer func() {
			m := Message{Method: "DELETE"}
			c.send(m.text(&to, 0), w.patience)
			c.read(Head)
		}()
	}
	c.send(m.text(&to, 0), w.patience)
	kind, _, text := c.read(Reply)
	return right(kind, text, nonce, "200 result")
}

// askEvents is ask over HTTP+SSE.
func (w *way) askEvents(ctx context.Context, m *Message, nonce string) error {
	to, err := w.openEvents(ctx, honestAddress, "2025-11-25", false)
	if err != nil {
		return err
	}
	defer to.events.Close()
	c, err := w.dial(ctx, honestAddress)
	if err != nil {
		return err
	}
	defer c.Close()
	c.send(m.text(&to, 0), w.patience)
	kind, text := to.events.reply(c, m.reads(0), Reply)
	return right(kind, text, nonce, "result")
}

// right reports an answer that is not the wanted one.
func right(kind, text, nonce, want string) error {
	if kind != want || !strings.Contains(text, nonce) {
		return fmt.Errorf("%s %.200s", kind, text)
	}
	return nil
}

// honest counts what honest clients get.
type honest struct {
	asked, served int
	slowest       time.Duration
	longest       time.Duration // without service
	first         string        // error
}

// asking asks until stop is closed, and at least a few times.
func (w *way) asking(ctx context.Context, name string, stop <-chan struct{}) (h honest) {
	const least, pause = 3, 20 * time.Millisecond
	lastServed := time.Now()
	for left := least; ctx.Err() == nil; {
		start := time.Now()
		err := w.ask(ctx, name)
		now := time.Now()
		if h.asked++; err == nil {
			h.served++
			h.slowest = max(h.slowest, now.Sub(start))
			lastServed = now
		} else if h.first == "" {
			h.first = err.Error()
		}
		if now.After(lastServed) {
			h.longest = max(h.longest, now.Sub(lastServed))
		}
		select {
		case <-stop:
			if left--; left < 0 {
				return h
			}
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return h
}
