// Package balance is a load balancer without affinity: each request goes to the next replica that is ready, whatever
// session it belongs to.
package balance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/proc"
)

const (
	probeEvery   = 200 * time.Millisecond
	probeTimeout = 500 * time.Millisecond
	maxBody      = 4 << 20
)

// Balancer forwards requests to replicas. It is an http.Handler, and safe for concurrent use.
type Balancer struct {
	proxy httputil.ReverseProxy
	next  atomic.Uint64

	mu       sync.Mutex
	replicas []replica
}

type replica struct {
	addr  string
	ready bool
}

// New returns a balancer for a number of replicas whose addresses are not known yet.
func New(replicas int) *Balancer {
	b := &Balancer{replicas: make([]replica, replicas)}
	b.proxy = httputil.ReverseProxy{
		// The transport names the replica, because it is another one if the first does not take the connection.
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.Host = "http", "localhost" },
		FlushInterval: -1,
		Transport: &transport{b: b, next: &http.Transport{
			MaxIdleConnsPerHost: 64, IdleConnTimeout: 10 * time.Second,
			DialContext: (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		}},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "no replica has answered: "+err.Error(), http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0), // that replicas have died is no news here
	}
	return b
}

// Set says where a replica serves; an empty address means nowhere. It gets requests once it says that it is ready.
func (b *Balancer) Set(i int, addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas[i] = replica{addr: addr}
}

// Ready returns how many replicas are ready.
func (b *Balancer) Ready() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.replicas {
		if r.ready {
			n++
		}
	}
	return n
}

// order returns the addresses of replicas in the order in which to try them: those that are ready, the next one
// first, or all if none is.
func (b *Balancer) order() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ready, all []string
	for _, r := range b.replicas {
		if r.addr != "" {
			all = append(all, r.addr)
		}
		if r.ready {
			ready = append(ready, r.addr)
		}
	}
	if len(ready) == 0 {
		ready = all
	}
	if len(ready) == 0 {
		return nil
	}
	at := int(b.next.Add(1) % uint64(len(ready)))
	return append(ready[at:len(ready):len(ready)], ready[:at]...)
}

// Probe asks all replicas again and again whether they are ready, until ctx ends.
func (b *Balancer) Probe(ctx context.Context) {
	for ctx.Err() == nil {
		b.mu.Lock()
		addrs := make([]string, len(b.replicas))
		for i, r := range b.replicas {
			addrs[i] = r.addr
		}
		b.mu.Unlock()
		var wg sync.WaitGroup
		for i, addr := range addrs {
			if addr != "" {
				wg.Go(func() {
					// A probe that was broken off says nothing.
					if ready := probe(ctx, addr); ctx.Err() == nil {
						b.found(i, addr, ready)
					}
				})
			}
		}
		wg.Wait()
		select {
		case <-ctx.Done():
		case <-time.After(probeEvery):
		}
	}
}

func (b *Balancer) found(i int, addr string, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.replicas[i].addr == addr {
		b.replicas[i].ready = ready
	}
}

func probe(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	why, err := proc.Unready(ctx, addr)
	return err == nil && why == ""
}

// ServeHTTP implements http.Handler. It reads the body first, so that a replica may answer before it has read all of
// it.
func (b *Balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body is too large, or did not arrive", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.ContentLength = int64(len(body))
	b.proxy.ServeHTTP(w, r)
}

// transport sends a request to the first replica that takes the connection.
type transport struct {
	b    *Balancer
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	last := errors.New("there is no replica")
	for _, addr := range t.b.order() {
		again := r.Clone(r.Context())
		again.URL.Host = addr
		if r.GetBody != nil {
			again.Body, _ = r.GetBody()
		}
		res, err := t.next.RoundTrip(again)
		if err == nil {
			return res, nil
		}
		last = err
		if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" {
			break // it may have been read
		}
	}
	return nil, last
}
