package broker

import (
	"io"
	"net"
	"sync"
)

// Proxy forwards connections to a broker, and can cut them. Its methods are safe for concurrent use.
type Proxy struct {
	// Addr is its host and port.
	Addr string

	target   string
	listener net.Listener
	done     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	over  bool
}

// StartProxy starts a proxy before the broker at an address.
func StartProxy(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: listener.Addr().String(), target: target, listener: listener, conns: make(map[net.Conn]struct{})}
	p.done.Go(p.accept)
	return p, nil
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.forward(client) })
	}
}

// forward copies in both directions until one side ends.
func (p *Proxy) forward(client net.Conn) {
	defer client.Close()                     //nolint:errcheck // whatever was written
	server, err := net.Dial("tcp", p.target) //nolint:noctx // on this machine
	if err != nil || !p.add(client, server) {
		return
	}
	defer p.remove(client, server)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // the end of one is the end of both
			_ = way[0].Close()
			_ = way[1].Close()
		})
	}
	both.Wait()
}

func (p *Proxy) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
	if p.over {
		p.cutLocked()
	}
	return !p.over
}

func (p *Proxy) remove(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

// Cut ends all connections. New ones are forwarded.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutLocked()
}

func (p *Proxy) cutLocked() {
	for c := range p.conns {
		_ = c.Close() // that is the point
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close() // it is not used any more
	p.mu.Lock()
	p.over = true
	p.cutLocked()
	p.mu.Unlock()
	p.done.Wait()
}
