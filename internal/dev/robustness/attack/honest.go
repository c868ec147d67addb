package attack

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// honestAddress is from where honest clients come over TCP: not from where hostile ones do.
const honestAddress = "127.0.0.200"

// honestPeople is how many addresses, or subjects, honest clients that make tasks take in turn: what each may keep in
// an hour is bounded.
const honestPeople = 50

// way is how clients reach a server.
type way struct {
	proc     *Process
	to       address
	lines    *lines // on stdio
	patience time.Duration
}

// dial connects from an address, where the transport has any.
func (w *way) dial(ctx context.Context, from string) (*conn, error) {
	return w.dialWindow(ctx, from, nil)
}

// dialWindow is dial for a client that, over HTTP/2, lets the server send so much of each response before it has read.
func (w *way) dialWindow(ctx context.Context, from string, window *uint32) (*conn, error) {
	c, err := w.dialPlain(ctx, from)
	if err != nil {
		return nil, err
	}
	if w.to.transport.isSecure() {
		return dialTLS(ctx, c, w.patience, window)
	}
	return newConn(c, w.patience), nil
}

// dialPlain connects from an address, and sends nothing.
func (w *way) dialPlain(ctx context.Context, from string) (net.Conn, error) {
	d := net.Dialer{Timeout: w.patience}
	network := "tcp"
	if w.to.transport == Unix {
		network = "unix"
	} else {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return d.DialContext(ctx, network, w.proc.Address)
}

// exchange sends a message on a connection, and reads of its answer as much as told.
func (w *way) exchange(c *conn, to *address, m Message, how Reading) (kind string, resp *http.Response, text string) {
	c.send(m.text(to, 0), w.patience)
	return c.read(how)
}

// initialized is what follows the answer to initialize.
var initialized = Message{RPC: "notifications/initialized", ID: "-"}

// openLines opens the connection on the pipes of stdio.
func (w *way) openLines() error {
	w.lines = newLines(w.proc.in, w.proc.out)
	hello := initialize(w.to.revision, w.to.capabilities)
	if kind, _ := w.lines.call(hello, &w.to, w.patience); kind != "result" {
		return fmt.Errorf("%w: initialize: %s", ErrUnfit, kind)
	}
	w.lines.send(initialized.text(&w.to, 0), w.patience)
	return nil
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
	if kind, _, _ := w.exchange(c, &to, initialized, Reply); !strings.HasPrefix(kind, "20") {
		return to, fmt.Errorf("notifications/initialized: %s", kind)
	}
	return to, nil
}

var nonces atomic.Int64

// visit is an honest client that has connected.
type visit struct {
	*way
	from string
	c    *conn // nil on stdio
	to   address
}

// visit connects as an honest client of a row, and opens a session if there are any.
func (w *way) visit(ctx context.Context, row *Row) (*visit, error) {
	from := honestAddress
	if row.Ask == Works {
		n, as := nonces.Add(1)%honestPeople, *w
		from = fmt.Sprintf("127.0.0.%d", 200+n)
		if row.Subjects {
			as.to.header = []string{fmt.Sprintf("Authorization: Bearer honest%d", n)}
		}
		w = &as
	}
	v := &visit{way: w, from: from, to: w.to}
	if w.to.transport == Stdio {
		return v, nil
	}
	var err error
	if v.to.transport == Events {
		if v.to, err = w.openEvents(ctx, v.from, "2025-11-25", false); err != nil {
			return nil, err
		}
	}
	if v.c, err = w.dial(ctx, v.from); err != nil {
		v.leave()
		return nil, err
	}
	if v.to.transport == Sessions {
		if v.to, err = w.open(v.c, "2025-11-25"); err != nil {
			v.leave()
			return nil, err
		}
	}
	return v, nil
}

// leave ends the session and the connection.
func (v *visit) leave() {
	if v.to.events != nil {
		_ = v.to.events.Close()
	}
	if v.c == nil {
		return
	}
	if v.c.events != nil { // the stream is open
		_ = v.c.Close()
		v.c, _ = v.dial(context.Background(), v.from)
	}
	if v.c == nil {
		return
	}
	if v.to.transport == Sessions && v.to.session != "" {
		v.exchange(v.c, &v.to, Message{Method: "DELETE"}, Head)
	}
	_ = v.c.Close()
}

// call sends a request, and reads its answer. The kind has no status if that is 200.
func (v *visit) call(m Message, how Reading) (kind, text string) {
	switch {
	case v.c == nil:
		return v.lines.call(&m, &v.to, v.patience)
	case v.to.events != nil:
		v.c.send(m.text(&v.to, 0), v.patience)
		return v.to.events.reply(v.c, m.reads(0), how)
	}
	kind, _, text = v.exchange(v.c, &v.to, m, how)
	return strings.TrimPrefix(kind, "200 "), text
}

// ask is one honest client: it connects, does what honest clients of the row do, checks the answers, and leaves.
func (w *way) ask(ctx context.Context, row *Row) error {
	v, err := w.visit(ctx, row)
	if err != nil {
		return err
	}
	defer v.leave()
	return asks[row.Ask](ctx, v, row)
}

// honest counts what honest clients get.
type honest struct {
	asked, served int
	times         []time.Duration // of those that were served
	longest       time.Duration   // without service
	first         string          // error
}

// p99 returns the time within which 99 of 100 honest clients were served, and the longest.
func (h *honest) p99() (p99, slowest time.Duration) {
	if len(h.times) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(h.times))
	return sorted[(len(sorted)*99-1)/100], sorted[len(sorted)-1]
}

// asking asks until stop is closed, and at least a few times.
func (w *way) asking(ctx context.Context, row *Row, stop <-chan struct{}) (h honest) {
	const least, pause = 3, 20 * time.Millisecond
	lastServed := time.Now()
	for left := least; ctx.Err() == nil; {
		start := time.Now()
		err := w.ask(ctx, row)
		now := time.Now()
		if h.asked++; err == nil {
			h.served++
			h.times = append(h.times, now.Sub(start))
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

// sleep waits, and is false if ctx has ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
