package server

import (
	"bytes"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// newSlowServer is a server of live:///{x}: what nobody can watch but live:///ok, and of policies.
func newSlowServer(t *testing.T, policies ...access.Policy) *Server {
	t.Helper()
	live := feature.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "live:///{x}", Name: "live"},
		Read:      func(c *call.Call) (content.Contents, error) { return content.Text(c.URI()), nil },
		Subscribe: true,
		Watch: func(c *call.Call) (iter.Seq2[time.Time, error], error) {
			if c.URI() != "live:///ok" {
				<-c.Done()
				return nil, c.Err()
			}
			return never(c), nil
		},
	}
	if policies != nil {
		live.Watch, live.Guard = nil, &access.Guard{Access: access.Access{ItemPolicies: policies}}
	}
	s, err := NewServer(&feature.Features{
		Info:         protocol.Implementation{Name: "slow", Version: "1"},
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
		Resources:    []feature.Resource{live},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.N == 2 && v.Seg[0] == "" && v.Take(0, v.Seg[1]) {
				return 0
			}
			return -1
		},
	}, &Options{Logger: silent(), UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hundred are a hundred URIs of newSlowServer, and last, as a filter asks for them.
func hundred(last string) string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `"live:///%d",`, i)
	}
	return `"resourceSubscriptions":[` + b.String() + `"` + last + `"]`
}

// However many watchers of a listen do not begin, its client waits once for all of them, and gets the others.
func TestListenWaitsOnceForAllWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlowServer(t)
		c := newHarness(t, s)
		start := time.Now()
		c.send(listenTo("1", hundred("live:///ok")))
		wantMatch(t, <-c.in, acknowledged("1", `"resourceSubscriptions":["live:///ok"]`))
		if d := time.Since(start); d != pubsub.OpenTimeout {
			t.Errorf("acknowledged after %v", d)
		}
		s.ResourceUpdated("live:///ok", "")
		if got := c.recv(); !strings.Contains(got, `"uri":"live:///ok"`) {
			t.Error(got)
		}
		c.cancel()
		_, _ = c.wait()
		_ = s.Close()
	})
}

// Once a client has cancelled its listen, no further policy is asked for it.
func TestCancelledListenAsksNoPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		on := make(chan struct{})
		s := newSlowServer(t, func(*call.Call) error {
			asked.Add(1)
			<-on
			return nil
		})
		c := newHarness(t, s)
		c.send(listenTo("1", hundred("live:///ok")))
		synctest.Wait()
		c.send(cancelled("1"))
		time.Sleep(access.PolicyTimeout / 2) // until it is read
		close(on)
		synctest.Wait()
		if n := asked.Load(); n > subscribe.PrecheckLanes {
			t.Errorf("%d policies were asked", n)
		}
		c.cancel()
		_, _ = c.wait()
		_ = s.Close()
	})
}

// A listen at the end of the server is refused what it would watch, and the log says that this is why.
func TestListenWhileTheServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *Server
		s = newSlowServer(t, func(*call.Call) error {
			s.host.Hub.Close()
			return nil
		})
		var log, audit bytes.Buffer
		s.features.Resources[0].Watch = func(c *call.Call) (iter.Seq2[time.Time, error], error) { return never(c), nil }
		s.host.Log, s.host.Audit = slog.New(slog.NewTextHandler(&log, nil)), slog.New(slog.NewTextHandler(&audit, nil))
		c := newHarness(t, s)
		c.send(listenTo("1", `"resourceSubscriptions":["live:///ok"]`))
		wantMatch(t, <-c.in, acknowledged("1", `"resourceSubscriptions":[]`))
		if !strings.Contains(log.String(), "shutting down") || !strings.Contains(audit.String(), "decision=deny") {
			t.Errorf("logged: %s, audited: %s", &log, &audit)
		}
		c.cancel()
		_, _ = c.wait()
		_ = s.Close()
	})
}
