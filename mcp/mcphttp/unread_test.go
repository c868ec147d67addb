package mcphttp_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// Of 2,000 streams over HTTP, every second client reads nothing more once its stream has begun. Each of the others
// hears of every change once, in the order of the changes, while the server waits for all of those.
func TestUpdatesPassClientsThatDoNotRead(t *testing.T) {
	synctest.Test(t, updatesPass)
}

func updatesPass(t *testing.T) {
	const streams, changes = 2000, 4
	r := newRigWith(t, &mcphttp.Options{MaxSessions: streams, MaxStreams: streams, MaxPerClient: streams,
		WriteTimeout: time.Minute, KeepAlive: 1000 * time.Hour}, &mcp.Options{UpdateDelay: -1}, withTemplates(changes),
		func(f *mcprt.Features) {
			for i := range f.Resources {
				f.Resources[i].Subscribe = true
			}
		})
	listener, done := newPipes(), make(chan struct{})
	hs := &http.Server{Handler: r.http}
	go func() {
		defer close(done)
		_ = hs.Serve(listener)
	}()
	defer func() {
		_ = r.srv.Close()
		_ = hs.Close()
		<-done
	}()
	heard := make(chan []string)
	var news []string
	for i := range changes {
		news = append(news, fmt.Sprintf("f:///%d", i))
	}
	for i := range streams {
		c := listener.dial()
		defer c.Close()
		openStream(t, r, c, news, i%4 < 2)
		if i%2 == 0 {
			go func() { heard <- readUpdates(c, changes) }()
		}
	}
	start := time.Now()
	for _, uri := range news {
		r.srv.ResourceUpdated(uri)
	}
	for range streams / 2 {
		if got := <-heard; !slices.Equal(got, news) {
			t.Fatalf("a client has heard of %v, want %v", got, news)
		}
	}
	if late := time.Since(start); late > 0 {
		t.Errorf("the last one hears after %v: it has waited for those that do not read", late)
	}
}

// openStream opens a stream on c that hears of news, and reads until it has begun.
func openStream(t *testing.T, r *rig, c net.Conn, news []string, isModern bool) {
	t.Helper()
	method, text, begun := http.MethodGet, "", "\r\n\r\n"
	var headers []string
	if isModern {
		text, headers = modern("subscriptions/listen", "",
			`"notifications":{"resourceSubscriptions":["`+strings.Join(news, `","`)+`"]}`)
		method, begun = http.MethodPost, "acknowledged"
	} else {
		headers = append(r.initialize(t, "2025-11-25"), "Accept", "text/event-stream")
		for _, uri := range news {
			want(t, r.do("POST", request("resources/subscribe", `"uri":"`+uri+`"`), headers...), 200)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	setHeaders(req, headers)
	go func() { _ = req.Write(c) }()
	var got []byte
	for b := make([]byte, 4<<10); !bytes.Contains(got, []byte(begun)); {
		n, err := c.Read(b)
		if err != nil {
			t.Errorf("%v after %s", err, got)
			return
		}
		got = append(got, b[:n]...)
	}
}

// readUpdates returns the URIs of the next n updates.
func readUpdates(c net.Conn, n int) (uris []string) {
	var text []byte
	for b := make([]byte, 4<<10); len(uris) < n; {
		m, err := c.Read(b)
		if err != nil {
			return uris
		}
		text = append(text, b[:m]...)
		for {
			_, rest, ok := bytes.Cut(text, []byte(`"uri":"`))
			uri, after, whole := bytes.Cut(rest, []byte(`"`))
			if !ok || !whole {
				break
			}
			uris, text = append(uris, string(uri)), after
		}
	}
	return uris
}

// withTemplates adds n templates and n resources.
func withTemplates(n int) func(*mcprt.Features) {
	return func(f *mcprt.Features) {
		read := func(c *mcprt.Call) (mcprt.Contents, error) { return mcprt.Text(c.URI()), nil }
		first := len(f.Resources)
		for i := range n {
			name := strconv.Itoa(i)
			f.Resources = append(f.Resources, mcprt.Resource{Read: read,
				Template: &protocol.ResourceTemplate{URITemplate: "t" + name + ":///{id}", Name: "t" + name}})
		}
		for i := range n {
			name := strconv.Itoa(i)
			f.Resources = append(f.Resources, mcprt.Resource{Read: read,
				Entry: &protocol.Resource{URI: "f:///" + name, Name: "f" + name}})
		}
		f.Route = func(uri string, v *mcprt.Vars) int {
			if !v.Split(uri) || !strings.HasPrefix(v.Scheme, "t") || v.N != 2 || !v.Take(0, v.Seg[1]) {
				return -1
			}
			i, _ := strconv.Atoi(v.Scheme[1:])
			return first + i
		}
	}
}
