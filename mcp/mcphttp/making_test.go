package mcphttp_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// source is content of so many bytes.
type source struct {
	left int
	read *atomic.Int64 // by all
}

func (s *source) Len() int { return s.left }

func (s *source) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), s.left)
	s.left -= n
	s.read.Add(int64(n))
	return n, nil
}

// readerOf makes the resource of a rig one that is read from what source returns.
func readerOf(source func() io.Reader, adapt func(io.Reader, error) (mcprt.Contents, error)) func(*mcprt.Features) {
	return func(f *mcprt.Features) {
		f.Resources[0].Read = func(*mcprt.Call) (mcprt.Contents, error) { return adapt(source(), nil) }
	}
}

var readIt = request("resources/read", `"uri":"r:///ä"`)

var readIDs atomic.Int64

// readNext is readIt with another id.
func readNext() *strings.Reader {
	return strings.NewReader(strings.Replace(readIt, `"id":1`, fmt.Sprintf(`"id":%d`, 100+readIDs.Add(1)), 1))
}

// reading is a read whose response is not read before on is closed.
type reading struct {
	w    *httptest.ResponseRecorder
	done chan struct{}
}

// begin begins a read by a client.
func (r *rig) begin(ctx context.Context, client string, on chan struct{}, headers ...string) *reading {
	g := &reading{httptest.NewRecorder(), make(chan struct{})}
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, target, readNext())
	req.RemoteAddr = client + ":1000"
	setHeaders(req, headers)
	go func() {
		defer close(g.done)
		r.http.ServeHTTP(&late{g.w, on}, req)
	}()
	return g
}

// late is a response whose client reads nothing of what is large before on is closed.
type late struct {
	*httptest.ResponseRecorder
	on chan struct{}
}

func (l *late) Write(b []byte) (int, error) {
	if len(b) > 1000 {
		<-l.on
	}
	return l.ResponseRecorder.Write(b)
}

// Of what 40 requests of one client ask for, no more is read than the client may have pending, another client gets its
// response meanwhile, and all get theirs once the client reads.
func TestReadsWaitTheirTurn(t *testing.T) {
	t.Attr("requirements", "res-binary-care")
	const size, share, small = 1 << 20, 4 << 20, 16 << 10
	synctest.Test(t, func(t *testing.T) {
		var read atomic.Int64
		r := newRigWith(t, &mcphttp.Options{MaxPendingBytes: 4 * share}, nil,
			readerOf(func() io.Reader { return &source{size, &read} }, mcprt.AsStream))
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		on, free := make(chan struct{}), make(chan struct{})
		close(free)
		var all []*reading
		for range 40 {
			all = append(all, r.begin(t.Context(), "192.0.2.1", on, s...))
		}
		synctest.Wait()
		if n := read.Load(); n < 2*size || n > share+40*small {
			t.Errorf("%d bytes were read for a client that may have %d", n, share)
		}
		p := r.srv.Stats().PendingBytes
		if p["unread"] < 2*size || p["unread"]+p["answers"] > share {
			t.Errorf("pending: %v", p)
		}
		other := r.begin(t.Context(), "192.0.2.2", free, s...)
		<-other.done
		close(on)
		for i, g := range append(all, other) {
			<-g.done
			if g.w.Code != http.StatusOK || g.w.Body.Len() < base64.StdEncoding.EncodedLen(size) {
				t.Errorf("response %d: status %d, %d bytes", i, g.w.Code, g.w.Body.Len())
			}
		}
		if p := r.srv.Stats().PendingBytes; len(p) > 0 {
			t.Errorf("pending in the end: %v", p)
		}
	})
}

// Stats tells by kind what is reserved: bodies that handlers use, responses that are made, and those that wait for
// their clients.
func TestStatsTellReservedBytesByKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigWith(t, nil, nil, readerOf(func() io.Reader { return new(gated) }, mcprt.AsStream))
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		reserved := func(bodies, answers, unread int64) {
			t.Helper()
			synctest.Wait()
			const more = 10_000 // of buffers and values
			for kind, n := range map[string]int64{"bodies": bodies, "answers": answers, "unread": unread} {
				if got := r.srv.Stats().PendingBytes[kind]; got < n || got > n+more || n == 0 && got > 0 {
					t.Errorf("%s: %d bytes, want %d and a little", kind, got, n)
				}
			}
		}
		reserved(0, 0, 0)
		body, headers := modern("tools/call", "wait", `"name":"wait","arguments":{"x":"`+strings.Repeat("x", 40_000)+`"}`)
		done, on := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			r.do("POST", body, headers...)
		}()
		reserved(40_000, 0, 0)
		reads := r.begin(t.Context(), "192.0.2.1", on, s...)
		reserved(40_000, 100_000, 0)
		time.Sleep(time.Minute) // then all is read; a value of this size is there with its JSON
		reserved(40_000, 100_000, int64(base64.StdEncoding.EncodedLen(100_000)))
		close(on)
		<-reads.done
		r.proceed <- struct{}{}
		<-done
		reserved(0, 0, 0)
	})
}

// A wait ends when its client leaves, and with the busy response when it takes long.
func TestReadsDoNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read atomic.Int64
		r := newRigWith(t, &mcphttp.Options{MaxPendingBytes: 4 << 20, AnswerTimeout: time.Hour}, nil,
			readerOf(func() io.Reader { return &source{1 << 20, &read} }, mcprt.AsStream))
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		on := make(chan struct{})
		first := r.begin(t.Context(), "192.0.2.1", on, s...)
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		gone, patient := r.begin(ctx, "192.0.2.1", on, s...), r.begin(t.Context(), "192.0.2.1", on, s...)
		synctest.Wait()
		leave()
		<-gone.done
		began := time.Now()
		<-patient.done
		if time.Since(began) < time.Second || patient.w.Code != http.StatusServiceUnavailable ||
			patient.w.Header().Get("Retry-After") == "" || !strings.Contains(patient.w.Body.String(), "busy: ") {
			t.Errorf("after %v: %d %v", time.Since(began), patient.w.Code, patient.w.Body)
		}
		if n := read.Load(); n > 1<<20+2*16<<10 {
			t.Errorf("%d bytes were read", n)
		}
		close(on)
		<-first.done
	})
}

// odd is a reader that says another size than it has, fails, or has text that is none.
type odd struct {
	io.Reader
	size int64
}

// Size is what it says.
func (o odd) Size() int64 { return o.size }

// plain is a reader that says nothing.
type plain struct{ io.Reader }

var errTorn = errors.New("torn")

// torn fails after so many bytes.
func torn(n int) io.Reader {
	return io.MultiReader(strings.NewReader(strings.Repeat("x", n)), ripped{})
}

type ripped struct{}

func (ripped) Read([]byte) (int, error) { return 0, errTorn }

// Whatever a reader says of itself, the response has what it gives, or is an error with a whole response, and nothing
// stays counted.
func TestOddReaders(t *testing.T) {
	t.Attr("requirements", "res-cleanup")
	long, escaped := strings.Repeat("x", 1<<20), strings.Repeat("\x01", 300<<10)
	text, blob := mcprt.AsTextStream[io.Reader], mcprt.AsStream[io.Reader]
	for name, row := range map[string]struct {
		source io.Reader
		adapt  func(io.Reader, error) (mcprt.Contents, error)
		want   string // stands in the response
		size   int    // of the response, at least
		status int
	}{
		"says nothing":           {plain{strings.NewReader(long)}, text, long, 0, 200},
		"says too little":        {odd{strings.NewReader(long), 100_000}, text, long, 0, 200},
		"says nothing is there":  {odd{strings.NewReader(long), 0}, text, long, 0, 200},
		"says less than nothing": {odd{strings.NewReader(long), -5}, text, long, 0, 200},
		"says too much":          {odd{strings.NewReader(long), 3 << 20}, text, long, 0, 200},
		"is small and says much": {odd{strings.NewReader("ab"), 1 << 40}, text, `"text":"ab"`, 0, 200},
		"says more than all":     {odd{strings.NewReader(long), 100 << 20}, text, long, 0, 200},
		"has more than all":      {plain{strings.NewReader(strings.Repeat("x", 20<<20))}, blob, "busy: ", 0, 503},
		"fails":                  {torn(1 << 20), text, "internal error", 0, 200},
		"fails at once":          {torn(0), text, "internal error", 0, 200},
		"is no text in the end":  {strings.NewReader(long + "\xff"), text, `"blob":"eHh4`, 1 << 20, 200},
		"needs escapes":          {strings.NewReader(escaped), text, `\u0001\u0001`, 6 * 300 << 10, 200},
		"is empty":               {plain{strings.NewReader("")}, blob, `"blob":""`, 0, 200},
	} {
		r := newRigWith(t, &mcphttp.Options{MaxPendingBytes: 16 << 20}, nil,
			readerOf(func() io.Reader { return row.source }, row.adapt))
		w := r.do("POST", readIt, r.initialize(t, "2025-11-25")...)
		if body := w.Body.String(); w.Code != row.status || !strings.Contains(body, row.want) || len(body) < row.size ||
			w.Header().Get("Content-Length") != fmt.Sprint(len(body)) && w.Header().Get("Content-Length") != "" {
			t.Errorf("%s: status %d, %d bytes, %.200s", name, w.Code, len(body), body)
		}
		if p := r.srv.Stats().PendingBytes; len(p) > 0 {
			t.Errorf("%s: pending in the end: %v", name, p)
		}
		_ = r.srv.Close()
	}
}

// Over HTTP/2 as over any other way, ten reads at once of one client get their responses, though there is room for one.
func TestReadsOverHTTP2(t *testing.T) {
	const size = 1 << 20
	var read atomic.Int64
	r := newRigWith(t, &mcphttp.Options{MaxPendingBytes: 6 << 20}, nil,
		readerOf(func() io.Reader { return &source{size, &read} }, mcprt.AsStream))
	srv := httptest.NewUnstartedServer(r.http)
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	defer func() { _ = r.srv.Close() }()
	s := r.initialize(t, "2025-11-25")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/mcp", readNext())
			setHeaders(req, s)
			resp, err := srv.Client().Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK || n < size {
				t.Errorf("HTTP/%d: %d, %d bytes, %v", resp.ProtoMajor, resp.StatusCode, n, err)
			}
		})
	}
	wg.Wait()
}
