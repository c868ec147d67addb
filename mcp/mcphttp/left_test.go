package mcphttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// drops calls the tool "wait" in a session and leaves.
func (r *rig) drops(t *testing.T, id int, session []string) (done <-chan struct{}) {
	ctx, leave := context.WithCancel(t.Context())
	req := httptest.NewRequestWithContext(ctx, "POST", target, strings.NewReader(callOf(id, "wait")))
	setHeaders(req, session)
	c := make(chan struct{})
	go func() {
		defer close(c)
		r.http.ServeHTTP(httptest.NewRecorder(), req)
	}()
	<-r.started
	leave()
	return c
}

// A request goes on after its client has left, because a client of a session may come back; but not for longer than a
// session without a client, and not for longer than a stream is kept if many requests run.
func TestRequestsOfClientsThatLeave(t *testing.T) {
	t.Attr("requirements", "http-close-goes-on")
	for _, row := range []struct {
		name  string
		calls int
		after time.Duration
	}{
		{"few", 4, 30 * time.Minute},
		{"many", 5, 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &mcphttp.Options{MaxRequests: 20})
				defer func() { _ = r.srv.Close() }()
				s := r.initialize(t, "2025-11-25")
				var open []<-chan struct{}
				for i := range row.calls {
					open = append(open, r.drops(t, i, s))
				}
				began := time.Now()
				for _, done := range open {
					<-done
				}
				if took := time.Since(began); took < row.after || took > row.after+15*time.Second {
					t.Errorf("the requests have ended after %v", took)
				}
				want(t, r.do("POST", ping, s...), 200)
			})
		})
	}
}

// A client that stays is not affected by many others that have left.
func TestRequestsOfClientsThatStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &mcphttp.Options{MaxRequests: 20})
		defer func() { _ = r.srv.Close() }()
		s := r.initialize(t, "2025-11-25")
		stays := make(chan *httptest.ResponseRecorder, 1)
		go func() { stays <- r.do("POST", callOf(99, "wait"), s...) }()
		<-r.started
		for i := range 9 {
			r.drops(t, i, s)
		}
		time.Sleep(time.Minute)
		if len(r.ended) != 9 {
			t.Errorf("%d calls have ended", len(r.ended))
		}
		r.proceed <- struct{}{}
		want(t, <-stays, 200, "waited")
	})
}

// A client that leaves an open question leaves no connection behind: it is closed while the handler still waits for the
// client to come back, also if the client has sent the beginning of another request before.
func TestConnectionOfOpenQuestion(t *testing.T) {
	for name, ahead := range map[string]string{"nothing": "", "another request": "POST"} {
		t.Run(name, func(t *testing.T) {
			if ahead != "" && runtime.GOOS != "linux" {
				t.Skip("only Linux says that a connection was closed whose bytes were not read")
			}
			x := newAsking(t, &mcphttp.Options{ResumeTimeout: time.Hour}, nil)
			s, _ := limitedServer(t, x.rig, nil)
			s.Start()
			c, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			body := callOf(1, "ask")
			if _, err := fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
				"Accept: application/json, text/event-stream\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
				x.session[0], x.session[1], len(body), body); err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewReader(c); ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(line, "roots/list") {
					break
				}
			}
			if _, err := io.WriteString(c, ahead); err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
			for open := int64(1); open > 0; time.Sleep(10 * time.Millisecond) {
				if t.Context().Err() != nil || len(x.fates) > 0 {
					t.Fatal("the handler has returned before the connection was closed")
				}
				open = x.srv.Stats().Connections["http"]
			}
			want(t, x.do("DELETE", "", x.session...), 204)
			<-x.fates
		})
	}
}
