//go:build !race

package robustness

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// maxAbsentListens is the most bytes of heap that ten listens of 10,000 URIs may hold which do not exist: 200 for each
// URI, and 1 MB for each connection with its buffers.
const maxAbsentListens = 10 * (10_000*200 + 1<<20)

// acknowledged returns once the acknowledgement of a listen is read, and reports whether it names a text.
func (c *raw) acknowledged(text string) bool {
	c.t.Helper()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	var all []byte
	for b := make([]byte, 64<<10); !bytes.HasSuffix(all, []byte("\n\n")); {
		n, err := resp.Body.Read(b)
		if all = append(all, b[:n]...); err != nil {
			c.t.Fatalf("%v after %.200s", err, all)
		}
	}
	return bytes.Contains(all, []byte(text))
}

// TestAbsentListensAreSmall: ten clients listen to 10,000 URIs each that do not exist. The server acknowledges, watches
// none of them and keeps little.
func TestAbsentListensAreSmall(t *testing.T) {
	const clients, each = 10, 10_000
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: manyNotes(t, 0)}, &mcp.Options{Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	s := serve(t, srv.Server, mcphttp.Options{})
	before := heap()
	for i := range clients {
		c := s.from(fmt.Sprintf("127.0.0.%d", 2+i))
		first := 1_000_000 * (i + 1)
		c.write(listenOf(first, each))
		if !c.acknowledged(fmt.Sprintf(`"notes:///n%d"`, first+each-1)) {
			t.Errorf("listen %d is not acknowledged as a whole", i)
		}
	}
	for late := time.Now().Add(patience); srv.Stats().PendingBytes["bodies"] > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d bytes of requests are pending while their listens are open", srv.Stats().PendingBytes["bodies"])
		}
	}
	held := heap() - before // of the clients in this process too
	n := srv.Stats()
	t.Logf("%d bytes of heap are held, %d for each URI", held, held/(clients*each))
	if held > maxAbsentListens || n.Watchers != 0 || n.Subscriptions != clients*each {
		t.Errorf("%d bytes, want %d at most; %d watchers, %d subscriptions", held, maxAbsentListens, n.Watchers,
			n.Subscriptions)
	}
	runtime.KeepAlive(s)
}
