//go:build !race

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/transport"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// gate is the most that a request of one kind may allocate, from its first byte to its answer and
// with what the handler makes. The figures are those that were reached: lower them when they fall.
type gate struct {
	name, text    string
	allocs, bytes float64
	want          string // stands in the answer
}

var gates = []gate{
	{"ping", request("1", "ping", ""), 1, 32, `"result":{}`},
	{"discover", modern("1", "server/discover", ""), 1, 32, `"supportedVersions"`},
	{"modern text of 1 KiB", modern("1", "resources/read", `"uri":"big:///text"`), 3, 256, `"text":"xxx`},
	{"text of 1 KiB", read("1", "big:///text"), 3, 256, `"text":"xxx`},
	{"blob of 64 KiB", read("1", "big:///blob"), 3, 256, `"blob":"AAA`},
	{"fixed blob of 64 KiB", read("1", "big:///fixed"), 2, 96, `"blob":"AAA`},
	{"template", read("1", "item:///one"), 3, 896, `"text":"one"`},
	{"list of 1,000", request("1", "resources/list", ""), 3, 256, `"uri":"item:///999"`},
	{"typed tool", toolCall("1", "typed", `{"a":1}`), 7, 328, `"structuredContent":{"b":"two"}`},
	{"discover, new tokens", tokened(modern("1", "server/discover", "")), 2, 144, `"supportedVersions"`},
	{"modern text of 1 KiB, new tokens", tokened(modern("1", "resources/read", `"uri":"big:///text"`)), 4, 368,
		`"text":"xxx`},
	{
		"modern typed tool, new tokens", tokened(modern("1", "tools/call", `"name":"typed","arguments":{"a":1}`)), 8, 440,
		`"structuredContent":{"b":"two"}`,
	},
}

// tokened returns a request with a progressToken, which bump changes.
func tokened(text string) string {
	return strings.Replace(text, `"_meta":{`, `"_meta":{"progressToken":1000000,`, 1)
}

// bump counts the progressToken of a request up, if it has one: those of real clients differ.
func bump(text []byte) {
	const key = `"progressToken":`
	i := bytes.Index(text, []byte(key))
	if i < 0 {
		return
	}
	digits := text[i+len(key):]
	for i = bytes.IndexByte(digits, ',') - 1; digits[i] == '9'; i-- {
		digits[i] = '0'
	}
	digits[i]++
}

func TestAllocationGates(t *testing.T) {
	client := &plainConn{asked: make(chan []byte), answered: make(chan []byte), read: make(chan struct{})}
	start(t, &testServer{Server: largeServer(t)}, client, client.peer())
	for _, g := range gates {
		text := []byte(g.text)
		ask := func() {
			bump(text)
			client.exchange(text, nil)
		}
		for range 3 {
			ask() // what is made once for all
		}
		var answer string
		client.exchange(text, func(b []byte) { answer = string(b) })
		if !strings.Contains(answer, g.want) {
			t.Errorf("%s: answer %.200s", g.name, answer)
			continue
		}
		allocs, bytes := perRun(200, ask, func(allocs, bytes float64) bool { return allocs <= g.allocs && bytes <= g.bytes })
		t.Logf("%s: %.2f allocations of %.0f bytes", g.name, allocs, bytes)
		if allocs > g.allocs || bytes > g.bytes {
			t.Errorf("%s: %.1f allocations of %.0f bytes, want %.0f of %.0f at most", g.name, allocs, bytes, g.allocs, g.bytes)
		}
	}
}

// A call that takes long lets another goroutine read on. That one has the buffers of an earlier one: new buffers would
// make the answer of a long list take so long that it is always another one.
func TestAllocationsOfSlowCalls(t *testing.T) {
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{}},
		Resources: []feature.Resource{{
			Template: &protocol.ResourceTemplate{URITemplate: "item:///{id}", Name: "item"},
			Read:     func(*call.Call) (content.Contents, error) { return content.Text(""), nil },
			List: feature.ListSeq(func(context.Context) iter.Seq2[int, error] {
				time.Sleep(2 * time.Millisecond) // so long that another one reads on
				return thousand()(t.Context())
			}, func(b []byte, id int) feature.Ref {
				return feature.Ref{URI: strconv.AppendInt(append(b, "item:///"...), int64(id), 10)}
			}),
		}},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "item" && v.N == 2 && v.Take(0, v.Seg[1]) {
				return 0
			}
			return -1
		},
	}, &Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	client := &plainConn{asked: make(chan []byte), answered: make(chan []byte), read: make(chan struct{})}
	start(t, &testServer{Server: s}, client, client.peer())
	text := []byte(request("1", "resources/list", ""))
	ask := func() { client.exchange(text, nil) }
	ask()
	allocs, bytes := perRun(20, ask, func(allocs, bytes float64) bool { return allocs <= 12 && bytes <= 4<<10 })
	t.Logf("%.2f allocations of %.0f bytes", allocs, bytes)
	if allocs > 12 || bytes > 4<<10 {
		t.Errorf("%.1f allocations of %.0f bytes, want 12 of 4096 at most", allocs, bytes)
	}
}

// plainConn is a pair of conns that hold no message, so that they allocate nothing whatever its size.
type plainConn struct {
	asked, answered chan []byte
	read            chan struct{} // the answer may be changed
	once            sync.Once
}

// exchange asks, and shows the answer to look, which must not keep it.
func (c *plainConn) exchange(text []byte, read func([]byte)) {
	c.asked <- text
	answer := <-c.answered
	if read != nil {
		read(answer)
	}
	c.read <- struct{}{}
}

// WriteMessage implements transport.Conn for the client.
func (c *plainConn) WriteMessage(msg []byte) error { c.asked <- msg; return nil }

// ReadMessage implements transport.Conn for the client.
func (c *plainConn) ReadMessage(buf []byte) ([]byte, error) {
	buf = append(buf[:0], <-c.answered...)
	c.read <- struct{}{}
	return buf, nil
}

// Close implements transport.Conn for both ends.
func (c *plainConn) Close() error { c.once.Do(func() { close(c.asked) }); return nil }

// peer returns the end of the server.
func (c *plainConn) peer() transport.Conn { return plainPeer{c} }

type plainPeer struct{ *plainConn }

func (p plainPeer) ReadMessage(buf []byte) ([]byte, error) {
	text, ok := <-p.asked
	if !ok {
		return buf[:0], io.EOF
	}
	return append(buf[:0], text...), nil
}

func (p plainPeer) WriteMessage(msg []byte) error {
	p.answered <- msg
	<-p.read
	return nil
}

// perRun returns the allocations of f and their bytes: the least of some averages, so that what
// the runtime does now and then in the background does not count. Nothing is collected meanwhile, which would empty
// pools: how often that happens depends on other load of the machine. So does how often another goroutine takes over
// reading from one that was slow, which costs the next 256 messages a goroutine each; that is why further averages are
// taken while these are not enough.
func perRun(n int, f func(), enough func(allocs, bytes float64) bool) (allocs, bytes float64) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for i := 0; i < 3 || i < 50 && !enough(allocs, bytes); i++ {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			f()
		}
		runtime.ReadMemStats(&after)
		a := float64(after.Mallocs-before.Mallocs) / float64(n)
		b := float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		if i == 0 || a < allocs {
			allocs = a
		}
		if i == 0 || b < bytes {
			bytes = b
		}
	}
	return allocs, bytes
}

// largeServer serves contents of some size and a list of a thousand.
func largeServer(t testing.TB) *Server {
	text, blob := strings.Repeat("x", 1<<10), make([]byte, 64<<10)
	routes := map[string]int{"big:///text": 0, "big:///blob": 1, "big:///fixed": 2}
	s, err := NewServer(&feature.Features{
		Info: protocol.Implementation{Name: "large", Version: "v1"},
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{}, Tools: &protocol.ServerCapabilitiesTools{},
		},
		Resources: []feature.Resource{
			{Entry: &protocol.Resource{URI: "big:///text", Name: "text"},
				Read: func(*call.Call) (content.Contents, error) { return content.Text(text), nil }},
			{Entry: &protocol.Resource{URI: "big:///blob", Name: "blob"},
				Read: func(*call.Call) (content.Contents, error) { return content.Blob(blob), nil }},
			{Entry: &protocol.Resource{URI: "big:///fixed", Name: "fixed"}, Static: new(content.Blob(blob))},
			{
				Template: &protocol.ResourceTemplate{URITemplate: "item:///{id}", Name: "item"},
				Read:     func(c *call.Call) (content.Contents, error) { return content.Text(c.Vars.Text(0, "id")), c.Vars.Err() },
				List: feature.ListSeq(thousand(), func(b []byte, id int) feature.Ref {
					return feature.Ref{URI: strconv.AppendInt(append(b, "item:///"...), int64(id), 10)}
				}),
			},
		},
		Route: func(uri string, v *uri.Vars) int {
			if i, ok := routes[uri]; ok {
				return i
			}
			if v.Split(uri) && v.Scheme == "item" && v.N == 2 && v.Take(0, v.Seg[1]) {
				return 3
			}
			return -1
		},
		Tools: []feature.Tool{{
			Entry: &protocol.Tool{Name: "typed", InputSchema: json.RawMessage(`{"type":"object"}`)},
			Call:  typed,
		}},
	}, &Options{Logger: silent(), PageSize: 1003})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// thousand yields the numbers of a list of a thousand.
func thousand() func(context.Context) iter.Seq2[int, error] {
	return func(context.Context) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for i := range 1000 {
				if !yield(i, nil) {
					return
				}
			}
		}
	}
}

// typed is a tool as generated code calls it: typed arguments and a struct for an answer.
func typed(_ *call.Call, args []byte) (content.ToolResult, error) {
	type out struct {
		B string `json:"b"`
	}
	var in int
	err := content.Arguments(args, func(d *wire.Decoder, v *int) {
		for d.Object(); d.Next(); {
			*v = wire.Int[int](d)
		}
	}, &in)
	return content.EncodeStructured(func(e *wire.Encoder, v *out) {
		e.Object()
		e.Name("b").String(v.B)
		e.EndObject()
	}, &out{"two"}, err)
}

// A server makes its lists and indexes when they are needed: to make it allocates a few bytes for each resource.
func TestAllocStart(t *testing.T) {
	const n = 10_000
	f := &feature.Features{Resources: make([]feature.Resource, n)}
	for i := range f.Resources {
		uri := "many:///" + strconv.Itoa(i)
		f.Resources[i] = feature.Resource{Entry: &protocol.Resource{URI: uri, Name: uri},
			Read: func(*call.Call) (content.Contents, error) { return content.Contents{}, nil }}
	}
	enough := func(allocs, bytes float64) bool { return allocs <= 200 && bytes <= 24*n }
	allocs, bytes := perRun(1, func() {
		s, err := NewServer(f, &Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
	}, enough)
	if !enough(allocs, bytes) {
		t.Errorf("%v allocations, %v bytes for each resource, want 200 and 24 at most", allocs, bytes/n)
	}
}
