package deploy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients of HTTP+SSE with different addresses reach the replica that has their stream, behind each proxy of the page,
// and no log has the id of a session.
func TestSSEProxies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("clients with addresses of their own need all of 127.0.0.0/8")
	}
	r := start(t, "-sse")
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			url := "http://" + p.serve(t, r, dir, "sse") + "/sse"
			ids := &idRecorder{}
			for n := range 8 {
				driveSSE(t, url, fmt.Sprintf("127.0.0.%d", n+2), ids)
			}
			var log []byte
			for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
				log, _ = os.ReadFile(filepath.Join(dir, "mcp.log"))
				if n := strings.Count(string(log), "/sse"); n >= 8*4 { // a GET and three POSTs or more of each
					break
				}
				if time.Now().After(end) {
					t.Fatalf("the log has not all requests:\n%s", log)
				}
			}
			if len(ids.found) != 8 {
				t.Errorf("%d sessions", len(ids.found))
			}
			for _, id := range ids.found {
				if strings.Contains(string(log), id) {
					t.Errorf("the log has the session %s", id)
				}
			}
		})
	}
}

// idRecorder remembers the ids of sessions that POSTs name.
type idRecorder struct {
	http.RoundTripper
	found []string
}

var sessionID = regexp.MustCompile(`sessionId=([A-Z2-7]{26})$`)

// RoundTrip implements http.RoundTripper.
func (r *idRecorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if m := sessionID.FindStringSubmatch(req.URL.RawQuery); m != nil &&
		(len(r.found) == 0 || r.found[len(r.found)-1] != m[1]) {
		r.found = append(r.found, m[1])
	}
	return r.RoundTripper.RoundTrip(req)
}

// driveSSE makes requests as a client with an address. Each POST is on a connection of its own.
func driveSSE(t *testing.T, url, from string, ids *idRecorder) {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	ids.RoundTripper = &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "deploy", Version: "1"}, nil)
	s, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: ids}}, nil)
	if err != nil {
		t.Fatalf("from %s: %v", from, err)
	}
	defer s.Close()
	for range 4 {
		if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "crm:///accounts/emea/1"}); err != nil {
			t.Fatalf("from %s: %v", from, err)
		}
	}
}
