package server

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/stdio"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// benchmarks are requests of each kind, after an initialize.
var benchmarks = []struct {
	name, text string
	allocs     float64 // the most that the whole round trip may cost
}{
	{"ping", request("1", "ping", ""), 2},
	{"discover", modern("1", "server/discover", ""), 12},
	{"fixed", read("1", "fix:///a"), 3},
	{"text", read("1", "do:///text"), 5},
	{"list", request("1", "resources/list", ""), 30},
	{"tools", request("1", "tools/list", ""), 2},
	{"tool", toolCall("1", "echo", `{"a":1}`), 10},
}

// exchange sends one request and reads its answer.
func exchange(t testing.TB, c transport.Conn, text, buf []byte) []byte {
	if err := c.WriteMessage(text); err != nil {
		t.Fatal(err)
	}
	buf, err := c.ReadMessage(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf
}

// inMemory returns a connection with a session of the newest legacy revision.
func inMemory(t testing.TB, st *testServer) transport.Conn {
	client, server := transport.Pipe(nil)
	start(t, st, client, server)
	return client
}

// overPipes is inMemory over two pipes of the operating system, as in a process of its own except
// that both ends share its threads.
func overPipes(t testing.TB, st *testServer) transport.Conn {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	client := stdio.Over(outR, inW, nil)
	server := stdio.Over(blocking(t, inR), blocking(t, outW), nil)
	start(t, st, client, server)
	t.Cleanup(func() { _ = inW.Close() })
	return client
}

// blocking hides that f is a file, so that reads block a thread as they do on an inherited fd 0.
func blocking(t testing.TB, f *os.File) io.ReadWriteCloser {
	f.Fd() // sets blocking mode
	t.Cleanup(func() { _ = f.Close() })
	return struct{ io.ReadWriteCloser }{f}
}

func start(t testing.TB, st *testServer, client, server transport.Conn) {
	served := make(chan error, 1)
	go func() { served <- st.Serve(t.Context(), server) }()
	t.Cleanup(func() {
		_ = client.Close()
		<-served
	})
	exchange(t, client, []byte(strings.ReplaceAll(`{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'`+
		protocol.Revision20251125.String()+`','capabilities':{},'clientInfo':{'name':'t','version':'1'}}}`, "'", `"`)), nil)
}

func BenchmarkMemory(b *testing.B)  { benchmark(b, inMemory) }
func BenchmarkOSPipes(b *testing.B) { benchmark(b, overPipes) }

func benchmark(b *testing.B, connect func(testing.TB, *testServer) transport.Conn) {
	for _, r := range benchmarks {
		b.Run(r.name, func(b *testing.B) {
			c := connect(b, newTestServer(b, nil))
			buf := exchange(b, c, []byte(r.text), nil)
			b.ReportAllocs()
			for b.Loop() {
				buf = exchange(b, c, []byte(r.text), buf)
			}
		})
	}
}
