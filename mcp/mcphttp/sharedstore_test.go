package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// Changes that replicas make at the same time are all kept.
func TestConcurrentChanges(t *testing.T) {
	f := newFleet(t, 3, &jumpy{SessionStore: new(memory.Sessions)}, nil)
	s := f.initialize(0, "2025-11-25")
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			r := f.all[i%3]
			switch i % 5 {
			case 0:
				want(t, r.do("POST", subscribeTo("r:///ä"), s...), 200, "result")
			case 1:
				want(t, r.do("POST", subscribeTo("r:///b"), s...), 200, "result")
			default:
				want(t, r.do("POST", request("logging/setLevel", `"level":"info"`), s...), 200, "result")
			}
		})
	}
	all.Wait()
	time.Sleep(50 * time.Millisecond)
	l := open(t, f.url(2), "GET", "", s...)
	missing := map[string]bool{"r:///ä": true, "r:///b": true}
	for len(missing) > 0 {
		_, data := l.event()
		if data == "" {
			t.Fatalf("no %v", missing)
		}
		for uri := range missing {
			if strings.Contains(data, uri) {
				delete(missing, uri)
			}
		}
	}
	want(t, f.all[1].do("POST", request("tools/call", `"name":"log"`), s...), 200, "first")
}

// jumpy is a store in which another process comes between now and then.
type jumpy struct {
	replica.SessionStore
	n atomic.Int64
}

func (j *jumpy) Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if version != 0 && j.n.Add(1)%3 == 0 {
		return 0, replica.ErrChanged
	}
	return j.SessionStore.Save(ctx, id, version, record, ttl)
}

// broken is a store that fails, hangs or panics while it is told to.
type broken struct {
	replica.SessionStore
	how atomic.Int32
}

const (
	fails = iota + 1
	hangs
	panics
)

func (b *broken) act(ctx context.Context) error {
	switch b.how.Load() {
	case fails:
		return errors.New("the store is away")
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	case panics:
		panic("the store is broken")
	}
	return nil
}

func (b *broken) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	if err := b.act(ctx); err != nil {
		return nil, 0, err
	}
	return b.SessionStore.Load(ctx, id)
}

func (b *broken) Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	if err := b.act(ctx); err != nil {
		return 0, err
	}
	return b.SessionStore.Save(ctx, id, version, record, ttl)
}

func (b *broken) Delete(ctx context.Context, id string) error {
	if err := b.act(ctx); err != nil {
		return err
	}
	return b.SessionStore.Delete(ctx, id)
}

// What needs a store that is not available is refused with 503 and changes nothing; what a replica knows it goes on
// with.
func TestStoreAway(t *testing.T) { synctest.Test(t, storeAway) }

func storeAway(t *testing.T) {
	store := &broken{SessionStore: new(memory.Sessions)}
	f := newFleet(t, 2, store, nil)
	defer f.close()
	s := f.initialize(0, "2025-11-25")
	fresh := f.all[0].do("POST", fmt.Sprintf(initializeWithRoots, "2025-11-25")).Header().Get("Mcp-Session-Id")
	for how := int32(fails); how <= panics; how++ {
		store.how.Store(how)
		for _, w := range []*httptest.ResponseRecorder{
			f.all[0].do("POST", fmt.Sprintf(initializeWithRoots, "2025-11-25")),
			f.all[0].do("POST", subscribeTo("r:///ä"), s...),
			f.all[0].do("POST", unsubscribeFrom("r:///b"), s...),
			f.all[0].do("POST", request("logging/setLevel", `"level":"info"`), s...),
			f.all[0].do("GET", "", s...),
			f.all[0].do("DELETE", "", s...),
			f.all[1].do("POST", ping, "Mcp-Session-Id", fresh),
			f.all[1].do("DELETE", "", "Mcp-Session-Id", fresh),
		} {
			want(t, w, http.StatusServiceUnavailable, "not available")
			if w.Header().Get("Retry-After") == "" || w.Header().Get("Mcp-Session-Id") != "" {
				t.Errorf("%v", w.Header())
			}
		}
		want(t, f.all[0].do("POST", ping, s...), 200)
		want(t, f.all[0].do("POST", request("tools/call", `"name":"who"`), s...), 200)
		store.how.Store(0)
		want(t, f.all[1].do("POST", request("tools/call", `"name":"log"`), s...), 200, `"done"`)
		want(t, f.all[0].do("POST", subscribeTo("r:///ä"), s...), 200, `"result"`)
		want(t, f.all[1].do("POST", unsubscribeFrom("r:///ä"), s...), 200, `"result"`)
		want(t, f.all[1].do("POST", ping, "Mcp-Session-Id", fresh), 200)
		fresh = f.all[0].do("POST", fmt.Sprintf(initializeWithRoots, "2025-11-25")).Header().Get("Mcp-Session-Id")
	}
}

func TestStoreNeedsKeys(t *testing.T) {
	r := newRig(t, nil)
	if _, err := mcphttp.Handler(r.srv, &mcphttp.Options{SessionStore: new(memory.Sessions)}); err == nil ||
		!strings.Contains(err.Error(), "mcp.Options.Keys") {
		t.Error(err)
	}
}
