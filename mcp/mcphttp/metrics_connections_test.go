package mcphttp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/transport"
)

// pipes is a listener whose connections are in memory.
type pipes struct {
	to   chan net.Conn
	over chan struct{}
	once sync.Once
}

func newPipes() *pipes { return &pipes{to: make(chan net.Conn), over: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.to:
		return c, nil
	case <-p.over:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.over) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// dial returns the end of a client.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.to <- server
	synctest.Wait()
	return client
}

// limited serves o behind a listener of Serve, until the returned function ends it.
func (o *observed) limited() (p *pipes, end func()) {
	p = newPipes()
	hs := &http.Server{Handler: o.http}
	l, err := mcphttp.Limit(hs, p, o.srv, o.opts)
	if err != nil {
		o.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = hs.Serve(l)
	}()
	return p, func() { _ = hs.Close(); <-done }
}

// connectionEvents are those of connections.
func connectionEvents() map[string]event {
	return map[string]event{
		`mcp_connections{transport="serve"}`: {do: func(o *observed) {
			client, server := transport.Pipe(nil)
			served := make(chan error, 1)
			go func() { served <- o.srv.Serve(context.Background(), server) }()
			o.is(1)
			_ = client.Close()
			<-served
		}},
		`mcp_connections{transport="http"}`: {do: func(o *observed) {
			p, end := o.limited()
			c := p.dial()
			o.is(1)
			_ = c.Close()
			end()
		}},
		`mcp_connections_closed_total{reason="idle"}`: {opts: mcphttp.Options{MaxConnections: 1}, do: func(o *observed) {
			p, end := o.limited()
			defer end()
			first := p.dial()
			second := p.dial()
			if _, err := first.Read(make([]byte, 1)); err != io.EOF {
				o.t.Errorf("the first connection: %v", err)
			}
			_ = second.Close()
		}},
		`mcp_connections_closed_total{reason="unread"}`: {do: func(o *observed) {
			p, end := o.limited()
			defer end()
			body, headers := modern("tools/call", "who", `"name":"who"`)
			c := p.dial()
			_, _ = io.WriteString(c, rawRequest("POST", body, headers...))
			time.Sleep(time.Minute)
			_ = c.Close()
		}},
	}
}

// connectionRefusals are those of connections, and of what is slow on them.
func connectionRefusals() map[string]event {
	return map[string]event{
		refusedFor("connections"): {opts: mcphttp.Options{MaxConnections: 1}, do: func(o *observed) {
			p, end := o.limited()
			defer end()
			body, headers := modern("tools/call", "wait", `"name":"wait"`)
			first := p.dial()
			_, _ = io.WriteString(first, rawRequest("POST", body, headers...))
			synctest.Wait()
			second := p.dial()
			if _, err := second.Read(make([]byte, 1)); err != io.EOF {
				o.t.Errorf("the second connection: %v", err)
			}
			o.proceed <- struct{}{}
			_, _ = http.ReadResponse(bufio.NewReader(first), nil)
			_ = first.Close()
		}},
		refusedFor("slow_body"): {do: func(o *observed) {
			p, end := o.limited()
			defer end()
			c := p.dial()
			body, headers := modern("tools/call", "who", `"name":"who"`)
			text := rawRequest("POST", body, headers...)
			_, _ = io.WriteString(c, text[:len(text)-9])
			time.Sleep(time.Minute)
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}},
		`mcp_streams_ended_total{reason="unread"}`: {do: func(o *observed) {
			p, end := o.limited()
			defer end()
			s := o.session()
			c := p.dial()
			_, _ = io.WriteString(c, rawRequest("GET", "", s...))
			time.Sleep(time.Hour)
			_ = c.Close()
		}},
	}
}
