package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server is a TLS server of 127.0.0.1 whose certificate is for example.com, and a client whose resolver answers with
// what the test says.
func server(t *testing.T, h http.HandlerFunc, o Options, addresses ...string) (c *Client, to string) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	o.RootCAs = x509.NewCertPool()
	o.RootCAs.AddCert(s.Certificate())
	if o.Resolve == nil {
		o.Resolve = answers(addresses...)
	}
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c = New(o)
	t.Cleanup(c.Close)
	return c, "https://example.com:" + port + "/hook"
}

func answers(addresses ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) (out []netip.Addr, err error) {
		for _, a := range addresses {
			out = append(out, netip.MustParseAddr(a))
		}
		return out, nil
	}
}

func reason(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return -1
}

func TestPost(t *testing.T) {
	c, to := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("A") != "b" || string(body) != `{}` ||
			r.TLS.ServerName != "example.com" || !strings.HasPrefix(r.Host, "example.com:") || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %q %q %v", r.Method, r.Host, body, r.TLS.ServerName, r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "yes")
	}, Options{AllowPrivate: true}, "127.0.0.1")
	a, err := c.Post(t.Context(), to, http.Header{"A": {"b"}}, []byte(`{}`))
	if err != nil || a.Status != http.StatusAccepted || string(a.Body) != "yes" {
		t.Fatal(a, err)
	}
}

// Nothing is connected if the answer of the resolver has one address that is not public.
func TestInwardNames(t *testing.T) {
	t.Attr("requirements", "event-addresses")
	for _, addresses := range [][]string{
		{"127.0.0.1"}, {"::1"}, {"::ffff:127.0.0.1"}, {"64:ff9b::7f00:1"}, {"10.0.0.1"},
		{"8.8.8.8", "127.0.0.1"}, {"127.0.0.1", "8.8.8.8"}, {"2606:4700::1111", "fd00::1"}, {"169.254.169.254"}, {"0.0.0.0"},
	} {
		c, to := server(t, func(http.ResponseWriter, *http.Request) { t.Error("connected") }, Options{}, addresses...)
		if _, err := c.Post(t.Context(), to, nil, nil); reason(err) != Refused {
			t.Errorf("%v: %v", addresses, err)
		}
		if c.Refused() != 1 {
			t.Errorf("%v: %d refused", addresses, c.Refused())
		}
	}
}

// A name that is public when it is checked and inward when it is dialled is refused when it is dialled: there is no
// time between the check and the connection. A connection that is kept stays where it is.
func TestRebinding(t *testing.T) {
	t.Attr("requirements", "event-addresses")
	var asked atomic.Int32
	c, to := server(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }, Options{
		AllowPrivate: true, Refuse: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			if asked.Add(1) == 1 {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
		},
	})
	if _, err := c.Post(t.Context(), to, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Post(t.Context(), to, nil, nil); reason(err) != Refused {
		t.Fatalf("after the name points elsewhere: %v", err)
	}
}

func TestNoRedirect(t *testing.T) {
	t.Attr("requirements", "event-addresses")
	var asked atomic.Int32
	c, to := server(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "https://127.0.0.1/", http.StatusTemporaryRedirect)
	}, Options{AllowPrivate: true}, "127.0.0.1")
	a, err := c.Post(t.Context(), to, nil, []byte(`{}`))
	if err != nil || a.Status != http.StatusTemporaryRedirect || asked.Load() != 1 {
		t.Fatal(a, err, asked.Load())
	}
}

func TestBounds(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client has left
			<-r.Context().Done()
		},
		"a byte a while": drip,
	} {
		c, to := server(t, h, Options{AllowPrivate: true, Timeout: 300 * time.Millisecond}, "127.0.0.1")
		began := time.Now()
		if _, err := c.Post(t.Context(), to, nil, []byte(`{}`)); reason(err) != Timeout {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
	c, to := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) },
		Options{AllowPrivate: true}, "127.0.0.1")
	if a, err := c.Post(t.Context(), to, nil, nil); err != nil || len(a.Body) != maxAnswer {
		t.Errorf("a long answer: %v", err)
	}
	c, to = server(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("A", strings.Repeat("a", 1<<20)) },
		Options{AllowPrivate: true}, "127.0.0.1")
	if a, err := c.Post(t.Context(), to, nil, nil); err == nil {
		t.Errorf("a long header: %d", a.Status)
	}
}

// What a request has begun ends with its time: a connection that never becomes secure, and a question to the resolver.
func TestNothingIsLeft(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	proxy, _ := url.Parse("https://" + l.Addr().String())
	bounded := false
	resolve := func(ctx context.Context, _ string) ([]netip.Addr, error) {
		_, bounded = ctx.Deadline()
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	for name, o := range map[string]Options{"direct": {AllowPrivate: true}, "proxy": {AllowPrivate: true, Proxy: proxy}} {
		o.Timeout, o.Resolve = 200*time.Millisecond, resolve
		c := New(o)
		if _, err := c.Post(t.Context(), "https://example.com:"+port+"/", nil, []byte(`{}`)); reason(err) != Timeout {
			t.Errorf("%s: %v", name, err)
		}
		held, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = held.SetReadDeadline(time.Now().Add(2 * time.Second))
		if _, err := io.Copy(io.Discard, held); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection is still there", name)
		}
		_ = held.Close()
	}
	if !bounded {
		t.Error("the resolver may take for ever")
	}
}

func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, "a"); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond)
	}
}

// One address that does not answer leaves time for the next one.
func TestNextAddress(t *testing.T) {
	c, to := server(t, func(http.ResponseWriter, *http.Request) {}, Options{AllowPrivate: true}, "127.0.0.9", "127.0.0.1")
	if _, err := c.Post(t.Context(), to, nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestReasons(t *testing.T) {
	t.Attr("requirements", "event-status")
	o := Options{AllowPrivate: true, AllowHTTP: true}
	c, to := server(t, func(http.ResponseWriter, *http.Request) {}, o, "127.0.0.1")
	other := strings.Replace(to, "example.com", "other.test", 1)
	if _, err := c.Post(t.Context(), other, nil, nil); reason(err) != TLS {
		t.Errorf("a certificate for another name: %v", err)
	}
	c.o.Resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, &net.DNSError{IsNotFound: true} }
	if _, err := c.Post(t.Context(), "https://nowhere.test/", nil, nil); reason(err) != Unreachable {
		t.Errorf("an unknown name: %v", err)
	}
	c.o.Resolve = answers("127.0.0.1")
	if _, err := c.Post(t.Context(), "http://closed.test:1/", nil, nil); reason(err) != Unreachable {
		t.Errorf("a closed port: %v", err)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if _, err := c.Post(t.Context(), strings.Replace(plain.URL, "http:", "https:", 1), nil, nil); reason(err) != TLS {
		t.Errorf("a server without TLS: %v", err)
	}
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	old.StartTLS()
	defer old.Close()
	if _, err := c.Post(t.Context(), old.URL, nil, nil); reason(err) != TLS {
		t.Errorf("TLS 1.1: %v", err)
	}
}

// The environment does not name a proxy; the operator may, and is told what that means.
func TestProxies(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || !strings.HasPrefix(r.Host, "hook.test:") {
			t.Errorf("the proxy got %s %s", r.Method, r.Host)
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer proxy.Close()
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("HTTP_PROXY", proxy.URL)
	c, to := server(t, func(http.ResponseWriter, *http.Request) {}, Options{AllowPrivate: true}, "127.0.0.1")
	if _, err := c.Post(t.Context(), to, nil, nil); err != nil {
		t.Errorf("with a proxy in the environment: %v", err)
	}
	var log strings.Builder
	u, _ := url.Parse(proxy.URL)
	c = New(Options{Proxy: u, Resolve: answers()})
	c.Warn(slog.New(slog.NewTextHandler(&log, nil)))
	if _, err := c.Post(t.Context(), "https://hook.test/", nil, nil); err == nil {
		t.Error("the proxy was not asked")
	}
	if _, err := c.Post(t.Context(), "https://127.0.0.1/", nil, nil); reason(err) != Refused {
		t.Errorf("an address in the URL: %v", err)
	}
	if !strings.Contains(log.String(), "must refuse private addresses itself") {
		t.Errorf("nothing is said: %s", log.String())
	}
}

func TestTestOptionsAreLoud(t *testing.T) {
	var log strings.Builder
	New(Options{AllowPrivate: true, AllowHTTP: true}).Warn(slog.New(slog.NewTextHandler(&log, nil)))
	New(Options{}).Warn(slog.New(slog.NewTextHandler(&log, nil)))
	if got := strings.Count(log.String(), "for tests only"); got != 2 {
		t.Errorf("%d warnings: %s", got, log.String())
	}
}
