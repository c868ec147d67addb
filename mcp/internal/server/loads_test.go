package server

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/replicas"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/replica/memory"
)

// docDB is the database that replicas share. Its functions wait for slow, if that is not nil.
type docDB struct {
	mu     sync.Mutex
	docs   map[int]doc
	banner string
	fails  int // so many loads
	loads  int
	slow   chan struct{}
}

func (db *docDB) put(d doc) { db.do(func() { db.docs[d.ID] = d }) }

func (db *docDB) do(f func()) {
	db.mu.Lock()
	defer db.mu.Unlock()
	f()
}

func (db *docDB) load(ctx context.Context, id int) (d any, ok bool, err error) {
	db.do(func() {
		db.loads++
		if d, ok = db.docs[id]; db.fails > 0 {
			db.fails--
			err = errBoom
		}
	})
	if db.slow != nil {
		select {
		case <-db.slow:
		case <-ctx.Done():
		}
	}
	return d, ok, err
}

func (db *docDB) all(context.Context) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		db.mu.Lock()
		var docs []doc
		for _, d := range db.docs {
			docs = append(docs, d)
		}
		db.mu.Unlock()
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// docReplica serves doc:///{id} from a store and banner:///x from a holder.
type docReplica struct {
	*Server
	docs   docStore
	banner *live.Holder[doc]
}

func bannerHolder() *live.Holder[doc] {
	return live.NewHolder(doc{}, func(b []byte, _ doc) feature.Ref {
		return feature.Ref{URI: append(b,
			"banner:///x"...)}
	},
		docContents)
}

func docFeatures(docs docStore, banner *live.Holder[doc]) *feature.Features {
	return &feature.Features{
		Info: protocol.Implementation{Name: "docs"},
		Capabilities: protocol.ServerCapabilities{
			Resources: &protocol.ServerCapabilitiesResources{ListChanged: new(true), Subscribe: new(true)},
		},
		Resources: []feature.Resource{
			{Template: &protocol.ResourceTemplate{URITemplate: "doc:///{id}", Name: "doc"}, Value: docs, List: docs,
				Subscribe: true},
			{Entry: &protocol.Resource{URI: "banner:///x", Name: "banner"}, Value: banner, Subscribe: true},
		},
		Route: func(uri string, v *uri.Vars) int {
			switch {
			case uri == "banner:///x":
				return 1
			case v.Split(uri) && v.Scheme == "doc" && v.N == 2 && v.Take(0, v.Seg[1]):
				return 0
			}
			return -1
		},
	}
}

func newDocReplica(t *testing.T, bus replica.Bus, db *docDB, logs *logBook) *docReplica {
	t.Helper()
	docs, banner := newDocs(), bannerHolder()
	docs.LoadWith(db.load)
	docs.LoadAllWith(db.all)
	banner.LoadWith(func(context.Context) (d doc, ok bool, err error) {
		db.do(func() { d = doc{Body: db.banner} })
		return d, d.Body != "", nil
	})
	opts := &Options{UpdateDelay: -1, Bus: replica.Over(bus), Keys: busKey, Logger: silent()}
	if logs != nil {
		opts.Logger = slog.New(slog.NewTextHandler(logs, nil))
	}
	s, err := NewServer(docFeatures(docs, banner), opts)
	if err != nil {
		t.Fatal(err)
	}
	return &docReplica{s, docs, banner}
}

// bubbleDocs runs a test with two replicas and their database.
func bubbleDocs(t *testing.T, logs *logBook, f func(t *testing.T, db *docDB, a, b *docReplica)) {
	synctest.Test(t, func(t *testing.T) {
		bus, db := new(memory.Bus), &docDB{docs: map[int]doc{1: {ID: 1, Body: "one"}}}
		a, b := newDocReplica(t, bus, db, logs), newDocReplica(t, bus, db, logs)
		settle()
		f(t, db, a, b)
		_, _ = a.Close(), b.Close()
	})
}

// What one replica puts is loaded by the others, whose clients are told after they could read it.
func TestStoreLoadsWhatOthersPut(t *testing.T) {
	bubbleDocs(t, nil, func(t *testing.T, db *docDB, a, b *docReplica) {
		if d, ok := b.docs.Get(1); !ok || d.Body != "one" {
			t.Fatalf("a replica begins with %v", d)
		}
		c := newHarness(t, b.Server)
		c.ask(listenTo("1", `"resourcesListChanged":true,"resourceSubscriptions":["doc:///2","banner:///x"]`))
		settle()
		db.put(doc{ID: 2, Body: "two"})
		if err := a.docs.Put(doc{ID: 2, Body: "two"}); err != nil {
			t.Fatal(err)
		}
		settle()
		if d, ok := b.docs.Get(2); !ok || d.Body != "two" {
			t.Errorf("b has %v", d)
		}
		updates, lists := 0, 0
		for len(c.in) > 0 {
			if got := c.recv(); strings.Contains(got, "doc:///2") {
				updates++
			} else if strings.Contains(got, "list_changed") {
				lists++
			}
		}
		if updates == 0 || lists == 0 {
			t.Errorf("%d updates, %d of the list", updates, lists)
		}
		db.do(func() { delete(db.docs, 2); db.banner = "hello" })
		a.docs.Delete(2)
		_ = a.banner.Set(doc{Body: "hello"})
		settle()
		if _, ok := b.docs.Get(2); ok {
			t.Error("b has what was deleted")
		}
		if got := b.banner.Get().Body; got != "hello" {
			t.Errorf("banner %q", got)
		}
		loads := db.loads
		settle()
		if db.loads != loads {
			t.Error("replicas load for each other without an end")
		}
		c.end()
	})
}

// A load that fails is repeated; one that panics too.
func TestLoadFails(t *testing.T) {
	logs := new(logBook)
	bubbleDocs(t, logs, func(t *testing.T, db *docDB, a, b *docReplica) {
		db.do(func() { db.fails = 4; db.docs[1] = doc{ID: 1, Body: "uno"} })
		_ = a.docs.Put(doc{ID: 1, Body: "uno"})
		time.Sleep(time.Minute)
		synctest.Wait()
		if d, _ := b.docs.Get(1); d.Body != "uno" {
			t.Errorf("b has %v", d)
		}
		if !strings.Contains(logs.String(), "loaded again later") {
			t.Error(logs.String())
		}
		b.docs.LoadWith(func(context.Context, int) (any, bool, error) {
			if db.do(func() { db.fails++ }); db.fails == 1 {
				panic("boom")
			}
			return doc{ID: 1, Body: "once more"}, true, nil
		})
		a.ResourceUpdated("doc:///1", "")
		time.Sleep(time.Minute)
		synctest.Wait()
		if d, _ := b.docs.Get(1); d.Body != "once more" {
			t.Errorf("after a panic b has %v", d)
		}
	})
}

// A load that began before a change does not take it back.
func TestLoadIsOlderThanPut(t *testing.T) {
	bubbleDocs(t, nil, func(t *testing.T, db *docDB, a, b *docReplica) {
		db.slow = make(chan struct{})
		db.put(doc{ID: 1, Body: "2"})
		_ = a.docs.Put(doc{ID: 1, Body: "2"}) // b begins to load
		synctest.Wait()
		db.put(doc{ID: 1, Body: "3"})
		_ = b.docs.Put(doc{ID: 1, Body: "3"})
		close(db.slow)
		settle()
		for i, r := range []*docReplica{a, b} {
			if d, _ := r.docs.Get(1); d.Body != "3" {
				t.Errorf("replica %d has %v", i, d)
			}
		}
	})
}

// What changes while it is loaded is loaded again, and clients are told once it was: they may have read in between.
func TestLoadDuringChange(t *testing.T) {
	bubbleDocs(t, nil, func(t *testing.T, db *docDB, a, b *docReplica) {
		c := newHarness(t, b.Server)
		c.ask(listenTo("1", `"resourceSubscriptions":["doc:///1"]`))
		settle()
		db.slow = make(chan struct{})
		db.put(doc{ID: 1, Body: "2"})
		_ = a.docs.Put(doc{ID: 1, Body: "2"}) // b begins to load
		settle()
		for len(c.in) > 0 {
			c.recv()
		}
		db.put(doc{ID: 1, Body: "3"})
		_ = a.docs.Put(doc{ID: 1, Body: "3"})
		synctest.Wait()
		for len(c.in) > 0 {
			c.recv()
		}
		close(db.slow)
		settle()
		if d, _ := b.docs.Get(1); d.Body != "3" {
			t.Errorf("b has %v", d)
		}
		if len(c.in) == 0 {
			t.Error("the client of b is not told that the value was loaded")
		}
		for len(c.in) > 0 {
			c.recv()
		}
		c.end()
	})
}

// After a loss all that a store has is loaded again: new values, others, and those that are gone.
func TestStoreAfterALoss(t *testing.T) {
	t.Attr("requirements", "subscribe-implications")
	bubbleDocs(t, nil, func(t *testing.T, db *docDB, _, b *docReplica) {
		db.do(func() { db.docs = map[int]doc{2: {ID: 2, Body: "two"}, 3: {ID: 3, Body: "three"}} })
		b.replicas.(*replicas.Replica).Resync()
		settle()
		var got []string
		for id, d := range b.docs.All() {
			got = append(got, strconv.Itoa(id)+d.Body)
		}
		wantText(t, "store", strings.Join(got, " "), "2two 3three")
		b.docs.LoadAllWith(nil) // only what it has
		db.do(func() { db.docs = map[int]doc{3: {ID: 3, Body: "drei"}, 4: {ID: 4}} })
		b.replicas.(*replicas.Replica).Resync()
		settle()
		got = nil
		for id, d := range b.docs.All() {
			got = append(got, strconv.Itoa(id)+d.Body)
		}
		wantText(t, "store", strings.Join(got, " "), "3drei")
	})
}

// A value that every replica has for itself needs a word.
func TestBusNeedsLoads(t *testing.T) {
	bus := new(memory.Bus)
	docs, banner := newDocs(), bannerHolder()
	opts := &Options{Bus: replica.Over(bus), Logger: silent()}
	_, err := NewServer(docFeatures(docs, banner), opts)
	for _, want := range []string{"Options.Keys", "doc:///{id}", "banner:///x", "LoadWith", "Local"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v", want, err)
		}
	}
	docs.Local()
	banner.LoadWith(func(context.Context) (doc, bool, error) { return doc{}, false, errors.New("none") })
	opts.Keys = busKey
	s, err := NewServer(docFeatures(docs, banner), opts)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
}
