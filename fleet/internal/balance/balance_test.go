package balance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// backend is a replica that says who it is.
type backend struct {
	*httptest.Server
	ready atomic.Bool
	calls atomic.Int64
}

func newBackend(t *testing.T, name string) *backend {
	t.Helper()
	b := new(backend)
	b.ready.Store(true)
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			if !b.ready.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return
		}
		b.calls.Add(1)
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s", name, r.Host, body)
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *backend) addr() string { return strings.TrimPrefix(b.URL, "http://") }

func post(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// Requests go round those that are ready; one that has died is passed over; if none is ready, all are tried.
func TestRound(t *testing.T) {
	b := New(3)
	front := httptest.NewServer(b)
	defer front.Close()
	if code, _ := post(t, front.URL); code != http.StatusBadGateway {
		t.Errorf("without replicas: %d", code)
	}
	var backends []*backend
	for i := range 3 {
		backends = append(backends, newBackend(t, fmt.Sprint(i)))
		b.Set(i, backends[i].addr())
	}
	backends[2].ready.Store(false)
	probing, stop := context.WithCancel(t.Context())
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.Probe(probing)
	}()
	await(t, b, 2)
	stop() // on a busy machine one that is ready may answer a later probe too late
	<-over
	for range 10 {
		if code, body := post(t, front.URL); code != http.StatusOK || !strings.HasSuffix(body, "text") {
			t.Fatalf("%d %s", code, body)
		}
	}
	x, y, z := backends[0].calls.Load(), backends[1].calls.Load(), backends[2].calls.Load()
	if x != 5 || y != 5 || z != 0 {
		t.Errorf("%d, %d and %d calls", x, y, z)
	}
	backends[0].Close()
	for range 4 {
		if code, body := post(t, front.URL); code != http.StatusOK || body[0] != '1' {
			t.Fatalf("%d %s", code, body)
		}
	}
	b.found(0, backends[0].addr(), false)
	b.found(1, backends[1].addr(), false)
	b.Set(1, "")
	if code, body := post(t, front.URL); code != http.StatusOK || body[0] != '2' {
		t.Fatalf("with nobody ready: %d %s", code, body)
	}
}

func await(t *testing.T, b *Balancer, ready int) {
	t.Helper()
	for range 1000 {
		if b.Ready() == ready {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%d replicas are ready, want %d", b.Ready(), ready)
}
