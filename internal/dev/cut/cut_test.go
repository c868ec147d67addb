package cut

import (
	"io"
	"net"
	"regexp"
	"testing"
	"time"
)

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				buf := make([]byte, 100)
				for {
					n, err := c.Read(buf)
					if err != nil {
						_ = c.Close()
						return
					}
					_, _ = c.Write(buf[:n])
				}
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// heard sends a byte and reports whether it comes back within a time.
func heard(t *testing.T, c net.Conn, d time.Duration) bool {
	t.Helper()
	if _, err := c.Write([]byte{'x'}); err != nil {
		return false
	}
	_ = c.SetReadDeadline(time.Now().Add(d))
	_, err := c.Read(make([]byte, 1))
	return err == nil
}

const (
	soon = 50 * time.Millisecond
	late = 20 * time.Second
)

// Each direction can be cut alone. What was sent meanwhile arrives later, unless the connection was reset.
func TestCut(t *testing.T) {
	p, err := New(t.Context(), echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := dial(t, p)
	if !heard(t, c, late) {
		t.Fatal("nothing comes back")
	}
	for _, d := range []Direction{Out, In} {
		p.Cut(d)
		if heard(t, c, soon) {
			t.Fatal("a byte got through")
		}
		other := dial(t, p)
		if heard(t, other, soon) {
			t.Fatal("a byte got through on a new connection")
		}
		p.Heal(false)
		_ = c.SetReadDeadline(time.Now().Add(late))
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Fatalf("what was sent meanwhile is lost: %v", err)
		}
	}
	p.Cut(In)
	p.Heal(true)
	if heard(t, c, late) {
		t.Fatal("the connection was not reset")
	}
	after := dial(t, p)
	if !heard(t, after, late) {
		t.Fatal("a new connection does not work")
	}
	p.Reset()
	if heard(t, after, late) || !heard(t, dial(t, p), late) {
		t.Fatal("connections are reset, and new ones are forwarded")
	}
}

// A message is taken out of what comes in, once, and what is around it passes.
func TestLose(t *testing.T) {
	p, err := New(t.Context(), echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	c := dial(t, p)
	p.Lose(regexp.MustCompile(`MSG (\d+)\r\n|OTHER (\d+)\r\n`))
	for _, step := range []struct{ sends, comes string }{
		{"MSG 9\r\npart", "MSG 9\r\npart"},
		{"PING\r\nOTHER 3\r\nabc\r\nPONG\r\n", "PING\r\nPONG\r\n"},
		{"MSG 1\r\na\r\n", "MSG 1\r\na\r\n"},
	} {
		if _, err := c.Write([]byte(step.sends)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(step.comes))
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != step.comes {
			t.Errorf("%q came as %q, %v", step.sends, got, err)
		}
	}
	if p.Lost() != 1 {
		t.Errorf("%d lost", p.Lost())
	}
}
