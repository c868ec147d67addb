// Package cut is a TCP proxy that can stop the bytes of one direction, like a network that has lost its way back, and
// can close all connections.
package cut

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"regexp"
	"strconv"
	"sync"
)

// Direction is one of the two directions of a connection.
type Direction int

// The directions, as seen by who has dialed.
const (
	Out Direction = iota
	In
)

// Proxy forwards connections to an address. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	free  *sync.Cond
	cut   [2]bool
	conns map[net.Conn]bool
	over  bool
	lose  *regexp.Regexp // nil if nothing is to be lost
	lost  int
}

// New starts a proxy on a port of this machine.
func New(ctx context.Context, target string) (*Proxy, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.free = sync.NewCond(&p.mu)
	go p.accept(ctx)
	return p, nil
}

// Addr returns where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut stops one direction of all connections, also of those that are opened later. Bytes wait, as TCP keeps them.
func (p *Proxy) Cut(d Direction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut[d] = true
}

// Heal lets bytes pass again. With reset, the connections of before are closed, as after a long outage.
func (p *Proxy) Heal(reset bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = [2]bool{}
	if reset {
		p.closeAll()
	}
	p.free.Broadcast()
}

// Reset closes all connections. New ones are forwarded.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeAll()
	p.free.Broadcast()
}

// Lose takes the next message that header begins out of what comes in. The first group of header that is not empty says
// how many bytes follow it, before two more. Messages that do not come in one piece pass.
func (p *Proxy) Lose(header *regexp.Regexp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = header
}

// Lost returns how many messages were lost.
func (p *Proxy) Lost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// without returns buf without the message that is to be lost. The caller holds mu.
func (p *Proxy) without(buf []byte) []byte {
	at := p.lose.FindSubmatchIndex(buf)
	if at == nil {
		return buf
	}
	var length string
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 {
			length = cmp.Or(length, string(buf[at[i]:at[i+1]]))
		}
	}
	n, err := strconv.Atoi(length)
	end := at[1] + n + len("\r\n")
	if err != nil || end > len(buf) {
		return buf
	}
	p.lose = nil
	p.lost++
	return bytes.Join([][]byte{buf[:at[0]], buf[end:]}, nil)
}

// Close ends the proxy and all connections.
func (p *Proxy) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.closeAll()
	p.free.Broadcast()
	return p.listener.Close()
}

// closeAll closes all connections. The caller holds mu.
func (p *Proxy) closeAll() {
	for c := range p.conns {
		_ = c.Close()
		delete(p.conns, c)
	}
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		to, err := new(net.Dialer).DialContext(ctx, "tcp", p.target)
		if err != nil {
			_ = from.Close()
			continue
		}
		p.mu.Lock()
		p.conns[from], p.conns[to] = true, true
		p.mu.Unlock()
		go p.pump(from, to, Out)
		go p.pump(to, from, In)
	}
}

// pump forwards one direction of a connection. What has been read waits while the direction is cut.
func (p *Proxy) pump(from, to net.Conn, d Direction) {
	defer p.drop(from, to)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		p.mu.Lock()
		for p.cut[d] && !p.over && p.conns[from] {
			p.free.Wait()
		}
		passes := buf[:n]
		if d == In && p.lose != nil {
			passes = p.without(passes)
		}
		p.mu.Unlock()
		if len(passes) > 0 {
			if _, err := to.Write(passes); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(p.conns, c)
	}
	p.free.Broadcast()
}
