package server

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/subscribe"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// absentServer is a server of live:///{x}, of which only some exist. Watches are those that were opened, by URI, and
// yield when told to.
type absentServer struct {
	*Server
	mu             sync.Mutex
	there          map[string]error // an error of a read besides that it is not there
	watched        map[string]chan struct{}
	reads, running int
	most           int // reads at once
	slow           time.Duration
}

func newAbsentServer(t *testing.T, policies ...access.Policy) *absentServer {
	t.Helper()
	a := &absentServer{there: map[string]error{}, watched: map[string]chan struct{}{}}
	live := feature.Resource{
		Template:  &protocol.ResourceTemplate{URITemplate: "live:///{x}", Name: "live"},
		Read:      a.read,
		Subscribe: true,
		Watch: func(c *call.Call) (iter.Seq2[time.Time, error], error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			yields := make(chan struct{})
			a.watched[c.URI()] = yields
			return func(yield func(time.Time, error) bool) {
				for {
					select {
					case <-yields:
						if !yield(time.Now(), nil) {
							return
						}
					case <-c.Done():
						return
					}
				}
			}, nil
		},
	}
	if policies != nil {
		live.Guard = &access.Guard{Access: access.Access{ItemPolicies: policies}}
	}
	s, err := NewServer(&feature.Features{
		Info: protocol.Implementation{Name: "absent", Version: "1"},
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)},
		},
		Resources: []feature.Resource{live},
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
	a.Server = s
	return a
}

func (a *absentServer) read(c *call.Call) (content.Contents, error) {
	a.mu.Lock()
	a.reads++
	a.running++
	a.most = max(a.most, a.running)
	err, there := a.there[c.URI()]
	a.mu.Unlock()
	time.Sleep(a.slow)
	a.mu.Lock()
	a.running--
	a.mu.Unlock()
	if !there {
		err = content.ErrNotFound
	}
	return content.Text("x"), err
}

// make makes something exist.
func (a *absentServer) make(uri string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.there[uri] = err
}

// watch returns what makes the watcher of a URI yield; nil if it is not watched.
func (a *absentServer) watch(uri string) chan struct{} {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.watched[uri]
}

// wantWatched fails the test unless a URI is watched, and its client is told of its changes.
func (a *absentServer) wantWatched(t *testing.T, c *harness, uri string) {
	t.Helper()
	for ; len(c.in) > 0; synctest.Wait() {
		<-c.in
	}
	yields := a.watch(uri)
	if yields == nil {
		t.Errorf("%s is not watched", uri)
		return
	}
	yields <- struct{}{}
	if got := c.recv(); !strings.Contains(got, "resources/updated") || !strings.Contains(got, uri) {
		t.Errorf("a change of %s: %s", uri, got)
	}
}

// appearsSilently makes something exist without a word.
func (a *absentServer) appearsSilently(t *testing.T, c *harness) {
	t.Helper()
	before := a.reads
	a.make("live:///3", nil)
	for range 200 {
		time.Sleep(time.Minute)
		if a.watch("live:///3") != nil {
			break
		}
	}
	if got := c.recv(); !strings.Contains(got, "live:///3") {
		t.Errorf("what has appeared without a word: %s", got)
	}
	a.wantWatched(t, c, "live:///3")
	if n := a.reads - before; n > 200*100 || a.most > subscribe.PrecheckLanes {
		t.Errorf("%d reads in the meantime, %d at once", n, a.most)
	}
}

// allLeave ends the clients and the server.
func (a *absentServer) allLeave(t *testing.T, clients ...*harness) {
	t.Helper()
	for _, c := range clients {
		c.cancel()
		_, _ = c.wait()
	}
	time.Sleep(time.Second)
	before := a.reads
	time.Sleep(time.Hour)
	if a.reads != before {
		t.Errorf("%d reads for a client that has left", a.reads-before)
	}
	_ = a.Close()
}

// What does not exist is acknowledged and not watched. Once it exists, it is watched, and the client told: after an
// update was published, after a client has read it, or else after a while.
func TestAbsentIsNotWatched(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			a := newAbsentServer(t)
			a.slow = time.Millisecond
			a.make("live:///there", nil)
			a.make("live:///broken", errBoom)
			c := newHarness(t, a.Server)
			uris := []string{"live:///there", "live:///broken"}
			for i := range 500 {
				uris = append(uris, fmt.Sprintf("live:///%d", i))
			}
			if legacy {
				c = newSession(t, a.Server, protocol.Revision20251125)
				for _, uri := range uris {
					got := c.ask(request("1", "resources/subscribe", `"uri":"`+uri+`"`))
					wantMatch(t, got, `{"jsonrpc":"2.0","id":1,"result":{}}`)
				}
			} else {
				list := `"` + strings.Join(uris, `","`) + `"`
				c.send(listenTo("1", `"resourceSubscriptions":[`+list+`]`))
				wantMatch(t, c.recv(), acknowledged("1", `"resourceSubscriptions":[`+list+`]`))
			}
			if n := a.host.Hub.Stats().Watchers; n != 2 || a.reads != len(uris) || a.most > subscribe.PrecheckLanes {
				t.Errorf("%d watchers, %d reads, %d at once", n, a.reads, a.most)
			}
			a.wantWatched(t, c, "live:///there")
			a.wantWatched(t, c, "live:///broken")

			a.ResourceUpdated("live:///0", "") // says nothing of its existence
			if got := c.recv(); !strings.Contains(got, "live:///0") || a.watch("live:///0") != nil {
				t.Errorf("%s", got)
			}
			for range 5 { // of these every client hears once, and one read follows
				a.ResourceUpdated("live:///0", "")
			}
			a.make("live:///1", nil)
			a.ResourceUpdated("live:///1", "")
			time.Sleep(time.Second)
			a.wantWatched(t, c, "live:///1")

			a.make("live:///2", nil)
			reader := newHarness(t, a.Server)
			reader.ask(modern("1", "resources/read", `"uri":"live:///2"`))
			time.Sleep(time.Second)
			a.wantWatched(t, c, "live:///2")

			a.appearsSilently(t, c)
			a.allLeave(t, c, reader)
		})
	}
}

// Something that comes to exist while the listen is being acknowledged is watched.
func TestAppearsDuringListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAbsentServer(t)
		a.slow = 3 * time.Second
		c := newHarness(t, a.Server)
		c.send(listenTo("1", `"resourceSubscriptions":["live:///1"]`))
		time.Sleep(time.Second) // the read has looked, and not returned
		a.make("live:///1", nil)
		a.ResourceUpdated("live:///1", "")
		wantMatch(t, c.recv(), acknowledged("1", `"resourceSubscriptions":["live:///1"]`))
		time.Sleep(10 * time.Second)
		a.wantWatched(t, c, "live:///1")
		c.cancel()
		_, _ = c.wait()
		_ = a.Close()
	})
}

// However many policies of a listen hang, its client waits once for all of them, and gets what was decided before.
func TestListenWaitsOnceForAllPolicies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAbsentServer(t, func(c *call.Call) error {
			if c.URI() == "live:///ok" {
				return nil
			}
			<-c.Done()
			return errors.New("late")
		})
		a.make("live:///ok", nil)
		c := newHarness(t, a.Server)
		start := time.Now()
		hang := strings.TrimPrefix(hundred("live:///ok"), `"resourceSubscriptions":[`)
		c.send(listenTo("1", `"resourceSubscriptions":["live:///ok",`+hang))
		wantMatch(t, <-c.in, acknowledged("1", `"resourceSubscriptions":["live:///ok"]`))
		if d := time.Since(start); d > subscribe.PrecheckTimeout {
			t.Errorf("acknowledged after %v", d)
		}
		c.cancel()
		_, _ = c.wait()
		_ = a.Close()
	})
}
