package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// newNotes returns a notes server in this process.
func newNotes(t *testing.T) *notes.NotesServer {
	t.Helper()
	dir := t.TempDir()
	writeNote(t, dir, "alpha", alphaText)
	n, err := notes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, &mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		n.Close()
	})
	return srv
}

// TestStormOfEqualIDs: 200 clients of one server use the same ids at once; each gets its own answers and no others.
func TestStormOfEqualIDs(t *testing.T) {
	t.Attr("requirements", "msg-response-id")
	const clients, requests, window = 200, 200, 20
	srv := newNotes(t)
	var group sync.WaitGroup
	var answers atomic.Int64
	for n := range clients {
		group.Go(func() {
			client, server := transport.Pipe(nil)
			go func() { _ = srv.Serve(context.Background(), server) }()
			defer client.Close()
			if err := exchange(client, n, requests, window, &answers); err != nil {
				t.Errorf("client %d: %v", n, err)
			}
		})
	}
	group.Wait()
	if got := answers.Load(); got != clients*requests {
		t.Errorf("%d answers to %d requests", got, clients*requests)
	}
}

// exchange keeps a window of requests open whose ids every client uses, and whose answers hold a nonce.
func exchange(c transport.Conn, n, requests, window int, answers *atomic.Int64) error {
	nonce := func(i int) string { return fmt.Sprintf("notes:///none-%d-%d", n, i) }
	ask := func(i int) error {
		method, params := "resources/read", fmt.Sprintf(`"uri":%q`, nonce(i))
		if i%5 == 0 {
			method, params = "tools/call", fmt.Sprintf(`"name":%q`, nonce(i))
		}
		return c.WriteMessage(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`, i, method, params,
			claim))
	}
	for i := range window {
		if err := ask(i); err != nil {
			return err
		}
	}
	open := map[string]bool{}
	for i := range requests {
		open[fmt.Sprint(i)] = true
	}
	for next := window; len(open) > 0; next++ {
		line, err := c.ReadMessage(nil)
		if err != nil {
			return fmt.Errorf("%d requests are not answered: %w", len(open), err)
		}
		id := string(parts(string(line))["id"])
		if !open[id] {
			return fmt.Errorf("a second or foreign answer: %s", line)
		}
		if uri := fmt.Sprintf("notes:///none-%d-%s", n, id); !strings.Contains(string(line), uri+`"`) &&
			!strings.Contains(string(line), uri+`\"`) {
			return fmt.Errorf("the answer to %s is %s", uri, line)
		}
		delete(open, id)
		answers.Add(1)
		if next < requests {
			if err := ask(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestStormOfListens: clients open, cancel and reuse listens at random, while updates come all the time and some
// clients vanish in between. Nothing is told before an acknowledgement or after a cancellation was seen.
func TestStormOfListens(t *testing.T) {
	t.Attr("requirements", "state-many listen-acknowledged")
	srv := newNotes(t)
	stop := make(chan struct{})
	var publisher, clients sync.WaitGroup
	publisher.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				srv.NoteUpdated("alpha")
				srv.NoteListChanged()
				runtime.Gosched()
			}
		}
	})
	for n := range 20 {
		clients.Go(func() {
			client, server := transport.Pipe(nil)
			served := make(chan error, 1)
			go func() { served <- srv.Serve(context.Background(), server) }()
			s := &stormer{conn: client, random: rand.New(rand.NewPCG(uint64(n), 1))}
			if err := s.run(20 + n%7); err != nil {
				t.Errorf("client %d: %v", n, err)
			}
			_ = client.Close()
			if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) { // a write may be under way
				t.Errorf("client %d: Serve: %v", n, err)
			}
		})
	}
	clients.Wait()
	close(stop)
	publisher.Wait()
}

// stormer is a client that does one thing after the other.
type stormer struct {
	conn   transport.Conn
	random *rand.Rand
	fences int
	acked  [4]bool // listens by id
	open   [4]bool
	silent [4]bool // cancelled, and an answer to a later request has been seen
}

func (s *stormer) run(rounds int) error {
	for range rounds {
		id := s.random.IntN(len(s.open))
		var line string
		if s.open[id] {
			line = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
		} else {
			line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["notes:///alpha"]},%s}}`, id, claim)
			s.acked[id], s.silent[id] = false, false
		}
		if err := s.conn.WriteMessage([]byte(line)); err != nil {
			return err
		}
		s.open[id] = !s.open[id]
		if err := s.fence(); err != nil {
			return err
		}
		for id := range s.open {
			s.silent[id] = !s.open[id]
		}
	}
	return nil
}

// fence asks for an answer and looks at what comes before it.
func (s *stormer) fence() error {
	s.fences++
	ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":"f%d","method":"server/discover","params":{%s}}`, s.fences, claim)
	if err := s.conn.WriteMessage([]byte(ask)); err != nil {
		return err
	}
	for {
		line, err := s.conn.ReadMessage(nil)
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		m := parts(string(line))
		if string(m["id"]) == fmt.Sprintf(`"f%d"`, s.fences) {
			return nil
		}
		meta, _ := member(m["params"], "_meta")
		tag, _ := member(meta, "io.modelcontextprotocol/subscriptionId")
		var id int
		if _, err := fmt.Sscan(string(tag), &id); err != nil || id < 0 || id >= len(s.open) {
			return fmt.Errorf("unexpected: %s", line)
		}
		ack := string(m["method"]) == `"notifications/subscriptions/acknowledged"`
		if s.silent[id] || ack == s.acked[id] {
			return fmt.Errorf("listen %d is acknowledged %v, cancelled %v, and told %s", id, s.acked[id], s.silent[id], line)
		}
		s.acked[id] = true
	}
}

// TestStdioCutOff: wherever the input of a session ends, the server answers what was whole, and exits with 0.
func TestStdioCutOff(t *testing.T) {
	t.Attr("requirements", "stdio-eof")
	for _, letter := range "BE" {
		script := &dialog{rev: letter}
		text := script.call("1", "echo", "Grüße") + "\n" + script.call("2", "wait", "") + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n" +
			script.request("3", "resources/subscribe", `"uri":"test:///text"`) + "\n" +
			script.call("4", "touch", "test:///text") + "\n"
		for at := range len(text) {
			if at%37 != 0 && text[max(at-1, 0)] != '\n' {
				continue
			}
			d := start(t, letter, "-grace", "50ms")
			d.write(text[:at])
			rest := d.end()
			answered := map[int][]string{1: {"1"}, 2: {"1"}, 3: {"1"}, 4: {"1", "3"}, 5: {"1", "3", "4"}}
			for _, id := range answered[strings.Count(text[:at], "\n")] {
				if !slices.ContainsFunc(rest, func(line string) bool { return string(parts(line)["id"]) == id }) {
					t.Errorf("cut off at %d of %q: %q", at, text, rest)
				}
			}
		}
	}
}
