package attack

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// goodMessages are what hostile messages are made from.
var goodMessages = []Message{
	tool("echo", `"text":"soak $n"`), request("tools/list", ""), request("resources/list", ""),
	request("resources/read", `{"uri":"item:///soak$n"}`), request("resources/templates/list", `{"cursor":"x"}`),
	request("resources/subscribe", `{"uri":"item:///soak$n"}`), request("ping", ""), request("server/discover", ""),
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
	fences int
}

// leaks are what no client may be shown.
var leaks = regexp.MustCompile(`goroutine \d|\.go:\d|runtime error|panic`)

// send sends one message that is wrong in some way, and looks at what comes back.
func (h *hostile) send(ctx context.Context) {
	m := goodMessages[h.random.IntN(len(goodMessages))]
	if h.way.lines != nil {
		h.line(&m)
		return
	}
	if h.conn == nil && !h.connect(ctx) {
		return
	}
	n := h.random.IntN(1 << 20)
	whole := m
	whole.Body, whole.RPC = string(h.mutate(m.body(&h.to, n))), ""
	if m.RPC != "" && h.random.IntN(2) == 0 { // headers that fit the message before it was changed
		whole.Header = modernHeader(m.RPC, m.body(&h.to, n))
	}
	h.conn.send(whole.text(&h.to, n), h.way.patience)
	_ = h.conn.SetReadDeadline(time.Now().Add(h.way.patience))
	kind, resp, text := h.conn.read(Reply)
	h.check(kind, text)
	if resp == nil || resp.Close || strings.HasSuffix(kind, "late") || strings.HasSuffix(kind, "closed") {
		h.close()
	}
}

// check notes the kind of a reply, and what it must not be.
func (h *hostile) check(kind, text string) {
	h.mu.Lock()
	h.kinds[kind]++
	h.mu.Unlock()
	if found := leaks.FindString(text); found != "" {
		h.problemf("%s: a client is shown %q: %.200s", h.way.to.transport, found, text)
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

// line sends one line on stdio, and now and then waits for the answer to a good one.
func (h *hostile) line(m *Message) {
	if m.RPC == "initialize" {
		return // the connection is open
	}
	text := strings.ReplaceAll(string(h.mutate(m.body(&h.way.to, h.random.IntN(1<<20)))), "\n", " ")
	h.way.lines.send(text+"\n", h.way.patience)
	if h.fences++; h.fences%64 == 0 {
		if kind, _ := h.way.lines.call(&Message{RPC: "ping"}, &h.way.to, h.way.patience); kind != "result" {
			h.problemf("stdio: a ping behind hostile lines gets %s", kind)
		}
	}
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
