package robustness

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// garbage are lines that are no message; each gets one error.
var garbage = []string{
	"{", "GET / HTTP/1.1", `{"jsonrpc":"2.0","id":1`, "\ufeff{}", "\xff\xfe", "nul\x00", "[", "]", `"`, "{}{}", "null", "1", strings.Repeat("[", 5000),
	`{"jsonrpc":"2.0","id":1,"method":"ping"}x`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, strings.Repeat("x", 70_000), "// ping", "\x1b[31m",
}

// TestScripts: scripts of good and bad lines, cut into pieces anywhere, with and without carriage returns: each bad
// line gets its error, each good one its answer, and nothing else is said.
func TestScripts(t *testing.T) {
	v := newVictim(t, nil, nil)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- v.srv.Serve(t.Context(), stdio.New(&stdio.Options{In: in, Out: out, NoSignals: true, MaxMessage: 64 << 10}))
		_ = out.Close()
	}()
	scripts := 10_000
	if testing.Short() {
		scripts = 500
	}
	got := make(chan tally)
	go func() { got <- answers(t, fromServer) }()
	want := writeScripts(t, toServer, scripts)
	_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":"ping x`) // half a line is the last one
	_ = toServer.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if n := <-got; n.pings != want.pings || n.errors != want.errors && n.errors != want.errors+1 {
		t.Errorf("%+v, want %+v", n, want)
	}
}

// tally counts answers.
type tally struct{ errors, pings int }

// answers reads what a server says until it ends. Pings must be answered in their order.
func answers(t *testing.T, fromServer io.Reader) (got tally) {
	lines := bufio.NewScanner(fromServer)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, `"id":"ping `):
			if !strings.HasSuffix(line, fmt.Sprintf(`"id":"ping %d","result":{}}`, got.pings)) {
				t.Errorf("ping %d is answered with %s", got.pings, line)
			}
			got.pings++
		case strings.Contains(line, `"error":{"code":-32700`), strings.Contains(line, `"error":{"code":-32600`):
			got.errors++
		default:
			t.Errorf("unasked: %s", line)
		}
	}
	return got
}

// writeScripts writes lines of garbage, pings and nothing, cut anywhere, and returns the answers to expect.
func writeScripts(t *testing.T, toServer io.Writer, scripts int) (want tally) {
	random := rand.New(rand.NewPCG(1, 2))
	for range scripts {
		var script strings.Builder
		for range 1 + random.IntN(4) {
			end := [...]string{"\n", "\r\n"}[random.IntN(2)]
			switch random.IntN(3) {
			case 0:
				script.WriteString(garbage[random.IntN(len(garbage))] + end)
				want.errors++
			case 1:
				fmt.Fprintf(&script, `{"jsonrpc":"2.0","id":"ping %d","method":"ping"}%s`, want.pings, end)
				want.pings++
			default:
				script.WriteString(end) // nothing
			}
		}
		for text := script.String(); text != ""; {
			n := 1 + random.IntN(len(text))
			if _, err := io.WriteString(toServer, text[:n]); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
		}
	}
	return want
}
