//go:build unix

package limits

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// newPair returns a connection of a gate, and its other side.
func newPair(t *testing.T) (c *gatedConn, client net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_, c = newGated()
	c.Conn = server
	t.Cleanup(func() { _ = client.Close(); _ = server.Close() })
	return c, client
}

// send sends a text, and returns once it has come.
func send(t *testing.T, c *gatedConn, client net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(client, text); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
}

// What comes while the process does not run is read after its deadline, and what follows has as long again; not more.
func TestLateReads(t *testing.T) {
	t.Parallel()
	c, client := newPair(t)
	const timeout = 2 * time.Second
	b := make([]byte, 100)
	_ = c.SetReadDeadline(time.Now().Add(timeout))
	send(t, c, client, "late")
	time.Sleep(timeout)
	if n, err := c.Read(b); string(b[:n]) != "late" || err != nil {
		t.Fatal(n, err)
	}
	go func() {
		time.Sleep(timeout / 4)
		_, _ = io.WriteString(client, "r")
	}()
	if n, err := c.Read(b); string(b[:n]) != "r" || err != nil {
		t.Fatal(n, err)
	}
	send(t, c, client, "too late")
	time.Sleep(timeout)
	if n, err := c.Read(b); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(n, err)
	}
	_ = c.SetReadDeadline(time.Time{})
	if n, err := c.Read(b); string(b[:n]) != "too late" || err != nil {
		t.Fatal(n, err)
	}
}

// A deadline that is over when it is set ends reads, whatever has come: so net/http ends its own.
func TestReadsThatEnd(t *testing.T) {
	for _, set := range []func(c *gatedConn, at time.Time) error{(*gatedConn).SetReadDeadline, (*gatedConn).SetDeadline} {
		c, client := newPair(t)
		_ = set(c, time.Now().Add(time.Hour))
		send(t, c, client, "more")
		_ = set(c, time.Unix(1, 0))
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(n, err)
		}
		_ = set(c, time.Time{})
		if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Error(n, err)
		}
	}
}
