package server

import (
	"context"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// lastWriter keeps the answer.
type lastWriter struct{ answer string }

func (p *lastWriter) Notify([]byte) error { return nil }

func (p *lastWriter) Respond(frame []byte, _ int) error {
	p.answer = string(frame)
	return nil
}

const exchangeMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// A request whose handler does not notice that the server closes is answered after the grace period, and neither
// it nor a listen whose watcher does not begin keeps Close.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	for method, params := range map[string]string{
		protocol.MethodResourcesRead:       `"uri":"a:///x",`,
		protocol.MethodSubscriptionsListen: `"notifications":{"resourceSubscriptions":["a:///x"]},`,
	} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stay := make(chan struct{})
				s, err := NewServer(&feature.Features{
					Capabilities: protocol.ServerCapabilities{Resources: &protocol.ServerCapabilitiesResources{Subscribe: new(true)}},
					Resources: []feature.Resource{{
						Entry:     &protocol.Resource{URI: "a:///x", Name: "x"},
						Subscribe: true,
						Read: func(*call.Call) (content.Contents, error) {
							<-stay
							return content.Contents{}, nil
						},
						Watch: func(*call.Call) (iter.Seq2[time.Time, error], error) {
							<-stay
							return nil, nil
						},
					}},
					Route: func(string, *uri.Vars) int { return 0 },
				}, &Options{Grace: time.Second, Logger: noLog})
				if err != nil {
					t.Fatal(err)
				}
				p := new(lastWriter)
				done := make(chan struct{})
				go func() {
					defer close(done)
					e := session.OpenEnvelope([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
						exchangeMeta + `}}`))
					s.host.Exchange(context.Background(), &e, call.Caller{}, p)
				}()
				synctest.Wait()
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					_ = s.Close()
				}()
				select {
				case <-closed:
				case <-time.After(time.Minute):
					t.Error("Close waits")
				}
				close(stay)
				<-done
				<-closed
				if !strings.Contains(p.answer, engine.ErrShutdown.Message) {
					t.Errorf("got %s", p.answer)
				}
			})
		})
	}
}
