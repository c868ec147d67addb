package transport_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/mcp/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, c transport.Conn, msg string) {
	t.Helper()
	if err := c.WriteMessage([]byte(msg)); err != nil {
		t.Fatalf("write %q: %v", msg, err)
	}
}

func read(t *testing.T, c transport.Conn) string {
	t.Helper()
	msg, err := c.ReadMessage(nil)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return string(msg)
}

func TestPipeCarriesBothWays(t *testing.T) {
	t.Attr("requirements", "stdio-custom")
	client, server := transport.Pipe(nil)
	for i := range 10 {
		write(t, client, fmt.Sprint("up", i))
		write(t, server, fmt.Sprint("down", i, "\n"))
	}
	for i := range 10 {
		if got, want := read(t, server), fmt.Sprint("up", i); got != want {
			t.Errorf("server read %q, want %q", got, want)
		}
		if got, want := read(t, client), fmt.Sprint("down", i); got != want {
			t.Errorf("client read %q, want %q", got, want)
		}
	}
}

func TestPipeKeepsNothingOfTheCaller(t *testing.T) {
	client, server := transport.Pipe(nil)
	msg := []byte("one")
	write(t, client, string(msg))
	if err := client.WriteMessage(msg); err != nil {
		t.Fatal(err)
	}
	copy(msg, "XXX")
	first, _ := server.ReadMessage(nil)
	second, _ := server.ReadMessage(make([]byte, 0, 64))
	write(t, client, "two")
	if string(first) != "one" || string(second) != "one" {
		t.Errorf("read %q and %q, want one and one", first, second)
	}
	buf := []byte("old text that is longer")
	got, err := server.ReadMessage(buf)
	if err != nil || string(got) != "two" || &got[0] != &buf[0] {
		t.Errorf("read %q, %v into a buffer with room; want two in the same buffer", got, err)
	}
}

func TestPipeClose(t *testing.T) {
	t.Run("own end", func(t *testing.T) {
		client, server := transport.Pipe(nil)
		write(t, client, "lost")
		server.Close()
		if _, err := server.ReadMessage(nil); err != transport.ErrClosed {
			t.Errorf("read: %v", err)
		}
		if err := server.WriteMessage([]byte("x")); err != transport.ErrClosed {
			t.Errorf("write: %v", err)
		}
		if err := server.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
	})
	t.Run("other end", func(t *testing.T) {
		for range 100 { // a select picks at random when both cases are ready
			client, server := transport.Pipe(nil)
			write(t, client, "a")
			write(t, client, "b")
			client.Close()
			if got := read(t, server) + read(t, server); got != "ab" {
				t.Fatalf("read %q after the peer closed, want ab", got)
			}
			if _, err := server.ReadMessage(nil); err != io.EOF {
				t.Fatalf("read: %v, want EOF", err)
			}
			if err := server.WriteMessage([]byte("x")); err != io.ErrClosedPipe {
				t.Fatalf("write: %v", err)
			}
		}
	})
}

func TestPipeCloseUnblocks(t *testing.T) {
	tests := []struct {
		name   string
		start  func(client, server transport.Conn) error
		closes func(client, server transport.Conn) transport.Conn
		want   error
	}{
		{"read, own end", readOne, serverEnd, transport.ErrClosed},
		{"read, other end", readOne, clientEnd, io.EOF},
		{"write, own end", writeTwo, serverEnd, transport.ErrClosed},
		{"write, other end", writeTwo, clientEnd, io.ErrClosedPipe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := transport.Pipe(&transport.PipeOptions{Messages: 1, WriteTimeout: -1})
				var got error
				go func() { got = tt.start(client, server) }()
				synctest.Wait()
				if got != nil {
					t.Fatalf("did not block: %v", got)
				}
				tt.closes(client, server).Close()
				synctest.Wait()
				if got != tt.want {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func readOne(_, server transport.Conn) error {
	_, err := server.ReadMessage(nil)
	return err
}

func writeTwo(_, server transport.Conn) error {
	if err := server.WriteMessage([]byte("fits")); err != nil {
		return err
	}
	return server.WriteMessage([]byte("waits"))
}

func clientEnd(client, _ transport.Conn) transport.Conn { return client }
func serverEnd(_, server transport.Conn) transport.Conn { return server }

func TestPipeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := transport.Pipe(&transport.PipeOptions{Messages: 2, WriteTimeout: time.Second})
		for i := range 5 { // a reader that is slow but alive
			write(t, server, "a")
			write(t, server, "b")
			go func() {
				time.Sleep(999 * time.Millisecond)
				_, _ = client.ReadMessage(nil)
			}()
			start := time.Now()
			write(t, server, "c")
			if d := time.Since(start); d != 999*time.Millisecond {
				t.Errorf("round %d: the write took %v", i, d)
			}
			_, _ = read(t, client), read(t, client)
		}
		write(t, server, "a")
		write(t, server, "b")
		start := time.Now()
		err := server.WriteMessage([]byte("c"))
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("write returned %v after %v, want a deadline after 1s", err, time.Since(start))
		}
		if again := server.WriteMessage([]byte("d")); again != err {
			t.Errorf("the next write returned %v, want the same error", again)
		}
		if got := read(t, client) + read(t, client); got != "ab" {
			t.Errorf("client read %q, want ab", got)
		}
		if _, err := client.ReadMessage(nil); err != io.EOF {
			t.Errorf("client read: %v, want EOF", err)
		}
	})
}

func TestPipeInParallel(t *testing.T) {
	const n = 2000
	client, server := transport.Pipe(&transport.PipeOptions{Messages: 3})
	var wg sync.WaitGroup
	wg.Go(func() {
		var buf []byte
		var err error
		for {
			if buf, err = server.ReadMessage(buf); err != nil {
				break
			}
			if err = server.WriteMessage(buf); err != nil {
				break
			}
		}
		if err != io.EOF {
			t.Errorf("server ended with %v", err)
		}
		server.Close()
	})
	wg.Go(func() {
		for i := range n {
			if err := client.WriteMessage(bytes.Repeat([]byte{byte('a' + i%26)}, i%700)); err != nil {
				t.Errorf("write %d: %v", i, err)
				return
			}
		}
	})
	for i := range n {
		want := strings.Repeat(string(rune('a'+i%26)), i%700)
		if got := read(t, client); got != want {
			t.Fatalf("message %d is %q, want %q", i, got, want)
		}
	}
	client.Close()
	wg.Wait()
}

func TestPipeDoesNotAllocate(t *testing.T) {
	client, server := transport.Pipe(nil)
	msg := []byte(strings.Repeat("x", 1000))
	var buf []byte
	roundTrip := func() {
		_ = client.WriteMessage(msg)
		buf, _ = server.ReadMessage(buf)
	}
	if n := testing.AllocsPerRun(200, roundTrip); n != 0 {
		t.Errorf("a message costs %v allocations, want 0", n)
	}
}

// An option that is out of range is an error that names it, of whatever is called first.
func TestPipeOptions(t *testing.T) {
	for want, opts := range map[string]transport.PipeOptions{
		"Messages is -1": {Messages: -1},
	} {
		client, server := transport.Pipe(&opts)
		for _, c := range []transport.Conn{client, server} {
			_, read := c.ReadMessage(nil)
			for _, err := range []error{read, c.WriteMessage([]byte("{}"))} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %v", want, err)
				}
			}
		}
	}
}
