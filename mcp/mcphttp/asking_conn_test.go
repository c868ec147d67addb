package mcphttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// Over a connection too a client has the whole answer while Authenticate hangs. Over HTTP/2 its stream is reset soon
// after that. Other requests go on.
func TestConnectionOfAuthenticateThatHangs(t *testing.T) {
	for name, multiplexed := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hangOver(t, multiplexed) })
		})
	}
}

func hangOver(t *testing.T, multiplexed bool) {
	known := make(chan struct{})
	asked := func(r *http.Request) (mcp.Caller, error) {
		if r.Header.Get("Hang") != "" {
			<-known
		}
		return mcp.Caller{Subject: "ann"}, nil
	}
	r := newRig(t, &mcphttp.Options{AnswerTimeout: 5 * time.Second, Authenticate: asked})
	defer func() { _ = r.srv.Close() }()
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!multiplexed)
	protocols.SetUnencryptedHTTP2(multiplexed)
	l, hs := newPipes(), &http.Server{Handler: r.http, Protocols: protocols}
	go func() { _ = hs.Serve(l) }()
	defer hs.Close()
	client := http.Transport{Protocols: protocols, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return l.dial(), nil
	}}
	defer client.CloseIdleConnections()
	call := func(more ...string) *http.Response {
		body, headers := modern("tools/call", "who", `"name":"who"`)
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		setHeaders(req, append(headers, more...))
		res, err := client.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	begin := time.Now()
	res := call("Hang", "1")
	b := make([]byte, res.ContentLength)
	_, err := io.ReadFull(res.Body, b)
	if err != nil || res.StatusCode != http.StatusServiceUnavailable || res.ProtoMajor == 2 != multiplexed ||
		time.Since(begin) != 10*time.Second {
		t.Fatalf("%s %s after %v: %s %v", res.Proto, res.Status, time.Since(begin), b, err)
	}
	if other := call(); other.StatusCode != http.StatusOK {
		t.Error(other.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("the response ends after %v: %v", took, err)
	}
	close(known)
	synctest.Wait()
	if other := call(); other.StatusCode != http.StatusOK {
		t.Error(other.Status)
	}
}
