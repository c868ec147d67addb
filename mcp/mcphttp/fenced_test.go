package mcphttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// cutBus is a bus from which nothing comes while it is cut.
type cutBus struct {
	memory.Bus
	cut atomic.Bool
}

func (b *cutBus) Subscribe(ctx context.Context, receive func([]byte), gap func()) error {
	return b.Bus.Subscribe(ctx, func(frame []byte) {
		if !b.cut.Load() {
			receive(frame)
		}
	}, gap)
}

// A replica that does not hear itself is not ready, ends its streams and refuses others with 503, until it does.
func TestFencedReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(cutBus)
		r := newRigWith(t, nil, &mcp.Options{Bus: replica.Over(bus), Keys: [][]byte{[]byte("0123456789abcdef")}})
		ready := func() int {
			w := httptest.NewRecorder()
			mcphttp.Ready(r.srv).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
			return w.Code
		}
		if ready() != http.StatusServiceUnavailable {
			t.Error("ready before it has heard itself")
		}
		time.Sleep(5 * time.Second)
		if ready() != http.StatusOK {
			t.Error("not ready")
		}
		s := append(r.initialize(t, "2025-11-25"), "Accept", "text/event-stream")
		ended := make(chan *httptest.ResponseRecorder, 2)
		body, headers := modern("subscriptions/listen", "", `"notifications":{"resourcesListChanged":true}`)
		go func() { ended <- r.do("GET", "", s...) }()
		go func() { ended <- r.do("POST", body, headers...) }()
		bus.cut.Store(true)
		time.Sleep(40 * time.Second)
		synctest.Wait()
		if len(ended) != 2 {
			w := <-ended
			t.Fatalf("only one stream has ended: %d %v %s", w.Code, w.Header(), w.Body)
		}
		for range 2 {
			<-ended
		}
		if ready() != http.StatusServiceUnavailable {
			t.Error("ready while it is cut off")
		}
		for _, w := range []*httptest.ResponseRecorder{r.do("GET", "", s...), r.do("POST", body, headers...)} {
			if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "cut off") {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		bus.cut.Store(false)
		time.Sleep(10 * time.Second)
		if ready() != http.StatusOK {
			t.Error("not ready again")
		}
		_ = r.srv.Close()
		synctest.Wait()
	})
}
