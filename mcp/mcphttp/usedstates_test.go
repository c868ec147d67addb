package mcphttp_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// orders are replicas with a tool that asks twice, and then places an order.
type orders struct {
	placed atomic.Int32
	all    []*rig
}

func newOrders(t *testing.T, n int, store replica.SessionStore, opts *mcphttp.Options) *orders {
	t.Helper()
	o := new(orders)
	bus := new(memory.Bus)
	for range n {
		h := mcphttp.Options{}
		if opts != nil {
			h = *opts
		}
		h.SessionStore = store
		o.all = append(o.all, newRigWith(t, &h,
			&mcp.Options{Keys: [][]byte{[]byte(sharedKey)}, Bus: replica.Over(bus), AskTimeout: time.Minute}, o.withOrder))
	}
	return o
}

func (o *orders) close() {
	for _, r := range o.all {
		_ = r.srv.Close()
	}
}

func (o *orders) withOrder(f *mcprt.Features) {
	f.Tools = []mcprt.Tool{{
		Entry: &protocol.Tool{Name: "order", InputSchema: []byte(`{"type":"object"}`)},
		Call: func(c *mcprt.Call, _ []byte) (mcprt.ToolResult, error) {
			for _, key := range []string{"one", "two"} {
				q := mcp.NewRootsQuestion(key)
				if err := (*mcp.Call)(c).Peer().Ask(c, q); err != nil {
					return mcprt.ToolResult{}, err
				}
				roots, err := q.Answer()
				if err != nil {
					return mcprt.ToolResult{}, err
				}
				if len(roots) > 1 {
					panic("too many folders")
				}
			}
			return mcprt.ToolResultOf(mcp.ToolText(fmt.Sprint("order ", o.placed.Add(1))), nil)
		}}}
}

// call calls the tool on a replica with what the client has to say.
func (o *orders) call(at int, answers, state string, headers ...string) *httptest.ResponseRecorder {
	params := `"name":"order"`
	if answers != "" {
		params += `,"inputResponses":` + answers
	}
	if state != "" {
		params += `,"requestState":"` + state + `"`
	}
	body, h := modern("tools/call", "order", params)
	body = strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":{"roots":{}}`, 1)
	return o.all[at].do("POST", body, append(h, headers...)...)
}

// next expects that the tool asks for more, and returns the state.
func next(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var m struct {
		Result struct{ ResultType, RequestState string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || m.Result.ResultType != "input_required" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return m.Result.RequestState
}

const (
	answerOne = `{"one":{"roots":[]}}`
	answerTwo = `{"two":{"roots":[]}}`
)

// The last round of a request is good once, on whichever replica; earlier ones can be sent again, and so can one with
// an answer that does not do.
func TestLastRoundOnce(t *testing.T) {
	t.Attr("requirements", "ask-state-once")
	o := newOrders(t, 2, new(memory.Sessions), nil)
	first := next(t, o.call(0, "", ""))
	var second string
	for i := range 3 { // the response may have been lost
		second = next(t, o.call(i%2, answerOne, first))
	}
	next(t, o.call(0, "{}", second))
	want(t, o.call(1, `{"two":{"roots":7}}`, second), 200, "-32602", "/inputResponses/two")
	want(t, o.call(1, answerTwo, second), 200, "order 1")
	for i := range 4 {
		want(t, o.call(i%2, answerTwo, second), 200, `"code":-32602`, "/requestState")
	}
	if n := o.placed.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}
	// Another last round of the same first one is one more decision of the client.
	want(t, o.call(0, answerTwo, next(t, o.call(1, answerOne, first))), 200, "order 2")
	want(t, o.call(0, `{"one":{"roots":[]},"two":{"roots":[]}}`, first), 200, "order 3")
	want(t, o.call(1, `{"one":{"roots":[]},"two":{"roots":[]}}`, first), 200, "/requestState")
	next(t, o.call(1, answerOne, "")) // without a state there are no answers
	next(t, o.call(1, `{"one":{"roots":[]},"two":{"roots":[]}}`, ""))
}

// Of many that send the last round at once one succeeds.
func TestLastRoundTogether(t *testing.T) {
	t.Attr("requirements", "ask-state-once")
	o := newOrders(t, 3, new(memory.Sessions), nil)
	state := next(t, o.call(1, answerOne, next(t, o.call(0, "", ""))))
	var all sync.WaitGroup
	var refused atomic.Int32
	for i := range 30 {
		all.Go(func() {
			if w := o.call(i%3, answerTwo, state); strings.Contains(w.Body.String(), "/requestState") {
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if o.placed.Load() != 1 || refused.Load() != 29 {
		t.Errorf("%d orders, %d refused", o.placed.Load(), refused.Load())
	}
}

// Whoever has run to an end in any way has used the state.
func TestLastRoundThatFails(t *testing.T) {
	o := newOrders(t, 2, new(memory.Sessions), nil)
	state := next(t, o.call(1, answerOne, next(t, o.call(0, "", ""))))
	w := o.call(0, `{"two":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}`, state)
	if strings.Contains(w.Body.String(), "/requestState") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	want(t, o.call(1, answerTwo, state), 200, "/requestState")
	if n := o.placed.Load(); n != 0 {
		t.Errorf("%d orders", n)
	}
}

// A store that is away lets nobody through, and the state is good when it is back.
func TestLastRoundStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &broken{SessionStore: new(memory.Sessions)}
		o := newOrders(t, 2, store, nil)
		defer o.close()
		both := `{"one":{"roots":[]},"two":{"roots":[]}}`
		state := next(t, o.call(0, "", ""))
		for how := int32(fails); how <= panics; how++ {
			store.how.Store(how)
			w := o.call(1, both, state)
			if !strings.Contains(w.Body.String(), `"code":-32603,"message":"the session store is not available: try again"`) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		}
		if n := o.placed.Load(); n != 0 {
			t.Errorf("%d orders", n)
		}
		store.how.Store(0)
		want(t, o.call(1, both, state), 200, "order 1")
		want(t, o.call(0, both, state), 200, "/requestState")
	})
}

// Without a store the last round can be sent again: docs/deploy.md says so.
func TestLastRoundDocumented(t *testing.T) {
	t.Attr("requirements", "ask-state-once")
	o := newOrders(t, 2, nil, nil)
	state := next(t, o.call(1, answerOne, next(t, o.call(0, "", ""))))
	for i := range 4 {
		want(t, o.call(i%2, answerTwo, state), 200, fmt.Sprint("order ", i+1))
	}
}

// One client cannot fill the store, nor keep others from it.
func TestLastRoundsOfOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrders(t, 1, new(memory.Sessions), &mcphttp.Options{Authenticate: tokens})
		defer o.close()
		ann, bob := []string{"Authorization", "Bearer ann s 1h"}, []string{"Authorization", "Bearer bob s 1h"}
		both := `{"one":{"roots":[]},"two":{"roots":[]}}`
		done := 0
		for range 2000 {
			w := o.call(0, both, next(t, o.call(0, "", "", ann...)), ann...)
			if w.Code != 200 || !strings.Contains(w.Body.String(), "order") {
				want(t, w, w.Code, "called too often", "retryAfterMs")
				break
			}
			done++
		}
		if done < 1000 || done > 1100 {
			t.Errorf("%d", done)
		}
		want(t, o.call(0, both, next(t, o.call(0, "", "", bob...)), bob...), 200, "order")
		time.Sleep(time.Minute)
		want(t, o.call(0, both, next(t, o.call(0, "", "", ann...)), ann...), 200, "order")
	})
}
