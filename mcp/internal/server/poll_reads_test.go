package server

import (
	"errors"
	"fmt"
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
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// polled is a server with one template that is looked at once in a minute.
type polled struct {
	*Server
	mu   sync.Mutex
	text string
	err  error
	// perCaller makes clients read something else than the poll does.
	perCaller bool
}

func newPolled(t *testing.T) *polled {
	p := &polled{text: "A"}
	read := func(c *call.Call) (content.Contents, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.perCaller && c.Request().Conn != nil {
			return content.Text("yours"), nil
		}
		return content.AsText(p.text, p.err)
	}
	s, err := NewServer(&feature.Features{
		Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
		Resources: []feature.Resource{{
			Template: &protocol.ResourceTemplate{URITemplate: "p:///{x}", Name: "p"}, Subscribe: true, Read: read,
			Watch: Poll(time.Minute, read),
			Guard: &access.Guard{Limit: access.Limit{Bytes: 1 << 20}},
		}},
		Route: func(uri string, v *uri.Vars) int {
			if v.Split(uri) && v.Scheme == "p" && v.N == 2 && v.Take(0, v.Seg[1]) {
				return 0
			}
			return -1
		},
	}, &Options{Logger: noLog})
	if err != nil {
		t.Fatal(err)
	}
	p.Server = s
	t.Cleanup(func() { _ = s.Close() })
	return p
}

// set changes what there is to read.
func (p *polled) set(text string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.err = text, err
}

// Whoever has read what was there between two looks hears that it has gone, though both looks are alike.
func TestPollTellsReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolled(t)
		c := newSession(t, p.Server, protocol.Revision20251125)
		wantMatch(t, c.ask(subscribeTo("1", "p:///x")), emptyResult)
		between := func(text string, err error, reads ...string) {
			p.set(text, err)
			for _, uri := range reads {
				c.ask(request("2", "resources/read", `"uri":"`+uri+`"`))
			}
			p.set("A", nil)
			time.Sleep(2 * time.Minute)
			synctest.Wait()
		}
		between("B", nil)
		c.quiet()
		between("A", nil, "p:///x", "p:///y")
		c.quiet()
		between("B", nil, "p:///y")
		c.quiet()
		for _, read := range []func(){
			func() { between("B", nil, "p:///x") },
			func() { between("B", nil, "p:///%78", "p:///x") },
			func() { between("", errors.New("broken"), "p:///x") },
			func() { between("", content.ErrNotFound, "p:///x") },
		} {
			read()
			wantMatch(t, c.recv(), updated("", "p:///x"))
			time.Sleep(2 * time.Hour) // the next one comes at once
			c.quiet()
		}
	})
}

// A client that reads again whenever it is told is told less and less often, if what it reads is its own.
func TestPollOfWhatCallersSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolled(t)
		p.perCaller = true
		c := newSession(t, p.Server, protocol.Revision20251125)
		wantMatch(t, c.ask(subscribeTo("1", "p:///x")), emptyResult)
		begin, reported := time.Now(), 0
		for ; time.Since(begin) < 24*time.Hour; reported++ {
			c.ask(request("2", "resources/read", `"uri":"p:///x"`))
			wantMatch(t, <-c.in, updated("", "p:///x"))
		}
		if reported < 20 || reported > 40 {
			t.Errorf("told %d times in a day", reported)
		}
	})
}

// No reader remains stale, whatever is read and changed when.
func TestPollConverges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolled(t)
		c := newSession(t, p.Server, protocol.Revision20251125)
		wantMatch(t, c.ask(subscribeTo("1", "p:///x")), emptyResult)
		reported, known := false, ""
		read := func() {
			reported = false
			c.send(request("2", "resources/read", `"uri":"p:///x"`))
			for known = <-c.in; !strings.Contains(known, `"result"`); known = <-c.in {
				reported = true
			}
		}
		for round := range 50 {
			for i := range 6 {
				p.set(fmt.Sprint((round+i*i)%3), nil)
				time.Sleep(time.Duration(round*i%7) * 11 * time.Second)
				if (round>>i)&1 == 0 {
					read()
				}
			}
			for end := time.Now().Add(3 * time.Hour); time.Now().Before(end); time.Sleep(time.Minute) {
				synctest.Wait()
				for len(c.in) > 0 {
					<-c.in
					reported = true
				}
				if reported {
					read()
				}
			}
			if known != "" && !strings.Contains(known, `"text":"`+p.text+`"`) {
				t.Fatalf("round %d: the reader has %s, and there is %s", round, known, p.text)
			}
		}
	})
}
