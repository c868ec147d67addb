package eventlog

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
)

// detaching is a server whose streams leave net/http.
type detaching struct {
	*Opener
	admit    *limits.Admission
	log      lockedText
	left     atomic.Int32 // connections that have left
	held     atomic.Int32 // what the server stays for
	stopping bool
	url      string
}

// lockedText is a log that several goroutines write.
type lockedText struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// newDetaching returns a server that answers with handle.
func newDetaching(t *testing.T, timeout time.Duration,
	handle func(*detaching, http.ResponseWriter, *http.Request),
) *detaching {
	t.Helper()
	d := &detaching{admit: newAdmission()}
	d.Opener = NewOpener(d.admit, slog.New(slog.NewTextHandler(&d.log, nil)), time.Minute, timeout)
	stay := func() (func(), bool) {
		if d.stopping {
			return nil, false
		}
		d.held.Add(1)
		return func() { d.held.Add(-1) }, true
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.Detach(w, r, stay, func(w http.ResponseWriter, r *http.Request) { handle(d, w, r) })
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateHijacked {
			d.left.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	d.url = s.URL
	return d
}

// stream opens one.
func (d *detaching) stream(w http.ResponseWriter, r *http.Request) *Stream {
	return d.Open(w, labels.StreamNotifications, d.admit.Client(r, ""))
}

// get returns the body of a response as far as it comes.
func (d *detaching) get(t *testing.T) (status int, body string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Transport).RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// over waits until nothing is left of the streams.
func (d *detaching) over(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); d.held.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server waits")
		}
	}
}

// However a handler ends, its client sees what it would see if the stream had not left, and nothing else ends.
func TestDetachedHandlersEnd(t *testing.T) {
	for name, row := range map[string]struct {
		end    func()
		opens  bool
		logged bool
		broken bool
	}{
		"returns":             {end: func() {}},
		"panics":              {end: func() { panic("oh") }, logged: true, broken: true},
		"aborts":              {end: func() { panic(http.ErrAbortHandler) }, broken: true},
		"exits":               {end: runtime.Goexit, broken: true},
		"returns in a stream": {end: func() {}, opens: true},
		"panics in a stream":  {end: func() { panic("oh") }, opens: true, logged: true, broken: true},
		"aborts in a stream":  {end: func() { panic(http.ErrAbortHandler) }, opens: true, broken: true},
		"exits in a stream":   {end: runtime.Goexit, opens: true, broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDetaching(t, time.Minute, func(d *detaching, w http.ResponseWriter, r *http.Request) {
				if row.opens {
					s := d.stream(w, r)
					defer s.Release()
					_ = s.Event(nil, []byte("{}"), nil)
				}
				row.end()
			})
			_, body, err := d.get(t)
			if (err != nil) != row.broken || row.opens != strings.Contains(body, "data: {}") {
				t.Errorf("the client gets %q and %v", body, err)
			}
			d.over(t)
			if logged := strings.Contains(d.log.String(), "TestDetachedHandlersEnd"); logged != row.logged {
				t.Errorf("logged: %s", d.log.String())
			}
			if left := d.left.Load() > 0; left != row.opens {
				t.Errorf("it has left: %v", left)
			}
		})
	}
}

// Events of any size come whole, in one write each if they are small.
func TestDetachedEvents(t *testing.T) {
	sizes := []int{2, 1 << 10, 4 << 10, chunkSize - 30, chunkSize, chunkSize + 1, 3 * chunkSize, 1 << 20}
	d := newDetaching(t, time.Minute, func(d *detaching, w http.ResponseWriter, r *http.Request) {
		s := d.stream(w, r)
		defer s.Release()
		for _, n := range sizes {
			_ = s.Event(nil, bytes.Repeat([]byte{'x'}, n), nil)
		}
	})
	_, body, err := d.get(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, event := range strings.Split(strings.TrimSuffix(body, endOfEvent), endOfEvent) {
		if got := strings.Count(event, "x"); got != sizes[i] {
			t.Errorf("event %d has %d bytes, want %d", i, got, sizes[i])
		}
	}
}

// A client that does not read has its stream ended, and one that the server cannot stay for has one of net/http.
func TestDetachedDeadline(t *testing.T) {
	for _, stopping := range []bool{false, true} {
		ended := make(chan error, 1)
		d := newDetaching(t, 50*time.Millisecond, func(d *detaching, w http.ResponseWriter, r *http.Request) {
			s := d.stream(w, r)
			defer s.Release()
			var err error
			for err == nil {
				err = s.Event(nil, bytes.Repeat([]byte{'x'}, 1<<10), nil)
			}
			ended <- err
		})
		d.stopping = stopping
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(d.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
		if left := d.left.Load() > 0; left == stopping {
			t.Errorf("it has left: %v", left)
		}
		_ = c.Close()
		d.over(t)
	}
}
