package mcphttp_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// lateStore is a store whose answer to one Save comes late.
type lateStore struct {
	replica.SessionStore
	mu    sync.Mutex
	armed bool
	saved chan struct{} // closed when that record is saved
	reply chan struct{} // closed when the answer may come
}

func (l *lateStore) Save(ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	version, err := l.SessionStore.Save(ctx, id, version, record, ttl)
	l.mu.Lock()
	late := l.armed
	l.armed = false
	l.mu.Unlock()
	if late {
		close(l.saved)
		<-l.reply
	}
	return version, err
}

// A client subscribes elsewhere while a replica becomes the one with its notification stream: the signal of that comes
// before the answer of the store.
func TestSubscribeWhileStreamMoves(t *testing.T) {
	store := &lateStore{SessionStore: new(memory.Sessions), saved: make(chan struct{}), reply: make(chan struct{})}
	f := newFleet(t, 2, store, nil)
	s := f.initialize(0, "2025-11-25")
	want(t, f.all[1].do("POST", subscribeTo("r:///b"), s...), 200, `"result":{}`)
	time.Sleep(4 * time.Second) // replicas that have just met resync
	url := f.url(0)
	store.mu.Lock()
	store.armed = true
	store.mu.Unlock()
	go func() {
		<-store.saved
		want(t, f.all[1].do("POST", subscribeTo("r:///ä"), s...), 200, `"result":{}`)
		time.Sleep(50 * time.Millisecond) // the signal is on its way
		close(store.reply)
	}()
	l := open(t, url, "GET", "", s...)
	stop := time.AfterFunc(time.Minute, l.close)
	defer stop.Stop()
	l.until(t, "r:///ä")
}
