package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"
)

// Bounds of an answer.
const (
	maxAnswer = 16 << 10 // bytes of its body that are read; the rest is not looked at
	maxHeader = 16 << 10 // bytes of its header; more is an error
)

// Options configures a [Client]. The zero value is for production.
type Options struct {
	// AllowPrivate is for tests only: it allows connections to every address, those of this machine too.
	AllowPrivate bool
	// AllowHTTP is for tests only: it allows URLs that begin with http://.
	AllowHTTP bool
	// Refuse are further addresses to which the client must not connect, such as the public ones of this network.
	Refuse []netip.Prefix
	// Proxy is an HTTP proxy through which all connections go. The proxy resolves the names of hosts and connects to them,
	// so it must refuse addresses that are not allowed. The client then checks only URLs.
	Proxy *url.URL
	// Resolve replaces the resolver of the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Timeout is the most time that a request takes, from the resolver to the last byte of the answer; by default 5 s.
	Timeout time.Duration
	// RootCAs replaces the certificate authorities of the system.
	RootCAs *x509.CertPool
}

// Client posts to callbacks. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
	refused   atomic.Int64
}

// Answer is what a callback has answered.
type Answer struct {
	Status int
	Body   []byte // at most 16 KiB of it
}

// New returns a client.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.Resolve == nil {
		o.Resolve = lookup
	}
	c := &Client{o: o}
	c.transport = &http.Transport{
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		DisableCompression:     true, // what is read is what was sent
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    o.Timeout, // net/http goes on with a connection whose request has ended
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: maxHeader,
		Protocols:              new(http.Protocols),
	}
	c.transport.Protocols.SetHTTP1(true)
	if o.Proxy != nil {
		c.transport.Proxy = http.ProxyURL(o.Proxy)
		c.transport.DialContext = (&net.Dialer{Timeout: o.Timeout}).DialContext
	}
	return c
}

// Warn logs each option that removes a protection.
func (c *Client) Warn(l *slog.Logger) {
	if c.o.AllowPrivate {
		l.Warn("webhooks may reach private addresses: for tests only")
	}
	if c.o.AllowHTTP {
		l.Warn("webhooks may go over plain HTTP: for tests only")
	}
	if c.o.Proxy != nil {
		l.Warn("webhooks go through a proxy, which must refuse private addresses itself", "proxy", c.o.Proxy.Host)
	}
}

// Refused returns how many connections were not made because an address was not public.
func (c *Client) Refused() int64 { return c.refused.Load() }

// Close closes connections that nobody uses.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Post sends a JSON body with additional headers. The answer may have any status: one that is no success is not an
// error. An error is a [*Error].
func (c *Client) Post(ctx context.Context, to string, header http.Header, body []byte) (*Answer, error) {
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	return c.do(ctx, http.MethodPost, to, header, body)
}

// Get reads the document at a URL, with the same rules as Post.
func (c *Client) Get(ctx context.Context, from string) (*Answer, error) {
	return c.do(ctx, http.MethodGet, from, http.Header{"Accept": {"application/json"}}, nil)
}

func (c *Client) do(ctx context.Context, method, to string, header http.Header, body []byte) (*Answer, error) {
	u, err := c.parse(to)
	if err != nil {
		return nil, &Error{Refused, err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	r := (&http.Request{
		Method:        method,
		URL:           u,
		Host:          u.Host,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}).WithContext(ctx)
	r.Header.Set("User-Agent", "mcpgen-webhook")
	// RoundTrip follows no redirect and keeps no cookie.
	answer, err := c.transport.RoundTrip(r)
	if err != nil {
		return nil, &Error{reasonOf(ctx, err), err}
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil && ctx.Err() != nil {
		return nil, &Error{Timeout, err}
	}
	return &Answer{answer.StatusCode, read}, nil
}

// Reason is why there was no answer.
type Reason int

// Reasons.
const (
	Unreachable Reason = iota // no connection, or one that broke
	Timeout
	TLS     // no connection that is secure
	Refused // the client does not connect to such a URL or address
)

// Error says why there was no answer. Its text is for operators only: it may say what addresses this network has.
type Error struct {
	Reason Reason
	Err    error
}

// Error returns the reason and its cause.
func (e *Error) Error() string { return fmt.Sprintf("webhook: no answer: %v", e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func reasonOf(ctx context.Context, err error) Reason {
	var (
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		name      x509.HostnameError
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		alert     tls.AlertError
		op        *net.OpError
		network   net.Error
	)
	switch {
	case errors.Is(err, errInward):
		return Refused
	case errors.As(err, &verify), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &authority),
		errors.As(err, &invalid), errors.As(err, &name), errors.As(err, &op) && op.Op == "remote error":
		return TLS // crypto/tls reports alerts of the other side as such an operation
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return Timeout
	}
	return Unreachable
}
