package attack

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// goodMessages are what hostile messages are made from.
var goodMessages = []Message{
	tool("echo", `"text":"soak $n"`), request("tools/list", ""), request("resources/list", ""),
	read("item:///soak$n"), request("resources/templates/list", `{"cursor":"x"}`),
	subscribe("item:///soak$n"), request("ping", ""), request("server/discover", ""),
	{RPC: "notifications/cancelled", ID: "-", Params: `{"requestId":"c$n"}`},
	request("completion/complete", `{"ref":{"type":"ref/resource","uri":"item:///{name}"},`+
		`"argument":{"name":"name","value":"x"}}`),
	*initialize("2025-11-25", `{"elicitation":{}}`),
	{Body: `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`},
	{Body: `{"jsonrpc":"2.0","id":"c$n","result":{}}`},
}

// hostile sends hostile messages, one after the other.
type hostile struct {
	*soak
	way    *way
	random *rand.Rand
	conn   *conn   // over HTTP
	to     address // with the session, where there are any
	texts  []byte  // what is sent at once
}

// packed is how many messages are sent at once on a connection, and packedOnStdio how many lines.
const packed, packedOnStdio = 8, 256

// leaks are what no client may be shown.
var leaks = []string{"goroutine ", ".go:", "runtime error", "panic"}

// send sends some messages that are wrong in some way, all at once, and looks at what comes back. It returns how many
// the server has taken: has answered, or on stdio read.
func (h *hostile) send(ctx context.Context) (n int) {
	if h.way.lines != nil {
		return h.sendLines()
	}
	if h.conn == nil && !h.connect(ctx) {
		return 0
	}
	h.texts = h.texts[:0]
	for range packed {
		h.texts = append(h.texts, h.text()...)
	}
	if !h.conn.send(string(h.texts), h.way.patience) {
		h.close()
		return 0
	}
	_ = h.conn.SetReadDeadline(time.Now().Add(h.way.patience))
	for n < packed {
		kind, resp, text := h.conn.read(Reply)
		h.check(kind, text)
		if resp != nil {
			n++
		}
		if resp == nil || resp.Close || strings.HasSuffix(kind, "late") || strings.HasSuffix(kind, "closed") {
			h.close() // what was behind is not read any more
			break
		}
	}
	return n
}

// text returns one message, as it is written.
func (h *hostile) text() string {
	m := goodMessages[h.random.IntN(len(goodMessages))]
	n := h.random.IntN(1 << 20)
	body := m.body(&h.to, n)
	whole := m
	whole.Body, whole.RPC = string(h.mutate(body)), ""
	if m.RPC != "" && h.random.IntN(2) == 0 { // headers that fit the message before it was changed
		whole.Header = modernHeader(m.RPC, body)
	}
	return whole.text(&h.to, n)
}

// check notes the kind of a reply, and what it must not be.
func (h *hostile) check(kind, text string) {
	h.mu.Lock()
	h.kinds[kind]++
	h.mu.Unlock()
	for _, leak := range leaks {
		if strings.Contains(text, leak) {
			h.problemf("%s: a client is shown %q: %.200s", h.way.to.transport, leak, text)
		}
	}
	if strings.HasPrefix(kind, "500") || kind == "200 -32603" || strings.HasSuffix(kind, "late") {
		h.problemf("%s: a hostile message gets %s: %.200s", h.way.to.transport, kind, text)
	}
}

// connect opens a connection, and a session where there are any.
func (h *hostile) connect(ctx context.Context) bool {
	c, err := h.way.dial(ctx, somebody(h.random))
	if err != nil {
		return false
	}
	h.to = h.way.to
	if h.to.transport == Sessions {
		if h.to, err = h.way.open(c, []string{"2025-03-26", "2025-06-18", "2025-11-25"}[h.random.IntN(3)]); err != nil {
			_ = c.Close()
			return false
		}
	}
	h.conn = c
	return true
}

// close ends the connection.
func (h *hostile) close() {
	if h.conn != nil {
		h.conn.reset()
		h.conn = nil
	}
}

// sendLines is send on stdio. It also waits for the answer to a good message, which is behind the others.
func (h *hostile) sendLines() (n int) {
	h.texts = h.texts[:0]
	for range packedOnStdio {
		m := &goodMessages[h.random.IntN(len(goodMessages))]
		if m.RPC == "initialize" {
			continue // the connection is open
		}
		line := h.mutate(m.body(&h.way.to, h.random.IntN(1<<20)))
		h.texts = append(append(h.texts, bytes.ReplaceAll(line, []byte("\n"), []byte(" "))...), '\n')
		n++
	}
	if !h.way.lines.send(string(h.texts), h.way.patience) {
		h.problemf("stdio: hostile lines are not read")
		return 0
	}
	if kind, _ := h.way.lines.call(&Message{RPC: "ping"}, &h.way.to, h.way.patience); kind != "result" {
		h.problemf("stdio: a ping behind hostile lines gets %s", kind)
	}
	return n
}

// mutate changes a text in one of several ways.
func (h *hostile) mutate(text string) []byte {
	b := []byte(text)
	at := h.random.IntN(len(b))
	switch h.random.IntN(8) {
	case 0:
		b[at] ^= 1 << h.random.IntN(8)
	case 1:
		return b[:at]
	case 2:
		return append(b[:at:at], text[h.random.IntN(len(text)):]...)
	case 3:
		return append(b, b...)
	case 4:
		for range 1 + h.random.IntN(20) {
			b[h.random.IntN(len(b))] = byte(h.random.IntN(256))
		}
	case 5:
		deep := strings.Repeat(string("[{"[h.random.IntN(2)]), 1+h.random.IntN(300))
		return []byte(text[:at] + deep + text[at:])
	case 6:
		return []byte(strings.Replace(text, "$", fmt.Sprint(h.random.Uint64()), 1) + strings.Repeat(" ", h.random.IntN(4000)))
	}
	return b
}
