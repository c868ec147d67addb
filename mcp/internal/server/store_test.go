package server

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// doc is a value of a store or holder.
type doc struct {
	ID    int
	Title string
	Body  string
	When  time.Time
	Bad   bool
}

func docEntry(b []byte, d doc) feature.Ref {
	return feature.Ref{URI: strconv.AppendInt(append(b, "doc:///"...), int64(d.ID), 10),
		Info: feature.RefInfo{Title: d.Title, Modified: d.When}}
}

var errEncode = errors.New("cannot be encoded")

func docContents(d doc, err error) (content.Contents, error) {
	if d.Bad {
		return content.Contents{}, errEncode
	}
	return content.AsText(d.Body, err)
}

// newDocs returns a store whose keys are addressable up to 99,999.
func newDocs() docStore {
	return docStore{live.NewStore(live.StoreConfig[int, doc]{
		Key:     func(d doc) int { return d.ID },
		Compare: cmp.Compare[int],
		Vars:    func(v *uri.Vars) (int, error) { return strconv.Atoi(v.Text(0, "id")) },
		Parse: func(uri string) (int, error) {
			id, err := strconv.Atoi(strings.TrimPrefix(uri, "doc:///"))
			return id % 100_000, err
		},
		Entry: docEntry, Contents: docContents,
	})}
}

// docStore has the methods of mcp.Store.
type docStore struct{ *live.Store[int] }

func (s docStore) Get(id int) (d doc, ok bool) {
	v, ok := s.Store.Get(id)
	d, _ = v.(doc)
	return d, ok
}

func (s docStore) Update(id int, f func(*doc) error) error {
	return s.Store.Update(id, func(old any) (any, error) {
		d, _ := old.(doc)
		err := f(&d)
		return d, err
	})
}

func (s docStore) All() iter.Seq2[int, doc] {
	return func(yield func(int, doc) bool) {
		s.Store.All()(func(id int, v any) bool { return yield(id, v.(doc)) }) //nolint:forcetypeassert // all are
	}
}

func TestStoreKeepsTheOrderOfKeys(t *testing.T) {
	s, want := newDocs(), map[int]string{}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		id := r.IntN(3_000)
		if r.IntN(3) == 0 {
			_, had := want[id]
			delete(want, id)
			if s.Delete(id) != had {
				t.Fatalf("step %d: Delete(%d) is not %v", i, id, had)
			}
			continue
		}
		want[id] = strconv.Itoa(i)
		if err := s.Put(doc{ID: id, Body: want[id]}); err != nil {
			t.Fatal(err)
		}
	}
	var keys []int
	for id, d := range s.All() {
		if keys = append(keys, id); d.Body != want[id] {
			t.Fatalf("%d is %q, want %q", id, d.Body, want[id])
		}
		if got, ok := s.Get(id); !ok || got != d {
			t.Fatalf("Get(%d) is %v, %v", id, got, ok)
		}
	}
	if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		t.Errorf("%d keys, want %d in order", len(keys), len(want))
	}
	for id := range want {
		s.Delete(id)
	}
	for id := range s.All() {
		t.Errorf("%d is left", id)
	}
}

// A page begins behind the last key of the page before, also if that key is gone.
func TestStorePages(t *testing.T) {
	s := newDocs()
	for id := range 5 {
		if err := s.Put(doc{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	page, next, err := listed(t, s, "", 2)
	if err != nil || len(page) != 2 || next != "doc:///1" {
		t.Fatalf("first page %v, next %q, %v", page, next, err)
	}
	s.Delete(1)
	s.Delete(3)
	page, next, err = listed(t, s, next, 2)
	if err != nil || len(page) != 2 || page[0].URI != "doc:///2" || page[1].URI != "doc:///4" || next != "" {
		t.Errorf("second page %v, next %q, %v", page, next, err)
	}
	if _, _, err = listed(t, s, "doc:///x", 2); err == nil {
		t.Error("a cursor that is no URI is taken")
	}
}

// What cannot be served is refused, and the store is as before.
func TestStoreRefuses(t *testing.T) {
	s := newDocs()
	if err := s.Put(doc{ID: 7, Body: "x"}); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"no contents":    {s.Put(doc{ID: 7, Bad: true}), errEncode.Error()},
		"no URI":         {s.Put(doc{ID: 100_007}), "doc:///100007 stands for 7"},
		"another key":    {s.Update(7, func(d *doc) error { d.ID = 8; return nil }), "must not change the key"},
		"own error":      {s.Update(7, func(d *doc) error { d.Body = "y"; return stop }), "stop"},
		"no such value":  {s.Update(8, func(*doc) error { return nil }), content.ErrNotFound.Error()},
		"bad after edit": {s.Update(7, func(d *doc) error { d.Bad = true; return nil }), errEncode.Error()},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", what, c.err, c.want)
		}
	}
	if d, ok := s.Get(7); !ok || d.Body != "x" {
		t.Errorf("the value is %v, %v", d, ok)
	}
	if s.Delete(8) {
		t.Error("something was deleted")
	}
}

// A writer that fails in the middle of an update leaves the locks free.
func TestUpdatePanics(t *testing.T) {
	s, h := newDocs(), live.NewHolder(doc{}, docEntry, docContents)
	if err := s.Put(doc{ID: 1}); err != nil {
		t.Fatal(err)
	}
	for _, update := range []func(func(*doc) error) error{h.Update,
		func(f func(*doc) error) error { return s.Update(1, f) }} {
		func() {
			defer func() { _ = recover() }()
			_ = update(func(*doc) error { panic("x") })
		}()
		if err := update(func(d *doc) error { d.Body = "y"; return nil }); err != nil {
			t.Error(err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	s, h := newDocs(), live.NewHolder(doc{}, docEntry, docContents)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 200 {
				id := (i*7 + n) % 50
				_ = s.Put(doc{ID: id, Body: fmt.Sprint(n)})
				_ = s.Update(id, func(d *doc) error { d.Title = "t"; return nil })
				_ = h.Update(func(d *doc) error { d.ID++; return nil })
				for range s.All() {
					break
				}
				_, _, _ = listed(t, s, "", 3)
				if n%5 == 0 {
					s.Delete(id)
				}
			}
		})
	}
	wg.Wait()
	if n := h.Get().ID; n != 1600 {
		t.Errorf("%d updates, want 1600", n)
	}
}

// A value that cannot be encoded is not set; one that a holder begins with fails when it is read.
func TestHolderRefuses(t *testing.T) {
	h := live.NewHolder(doc{Bad: true}, docEntry, docContents)
	if _, err := h.Read(nil); !errors.Is(err, errEncode) {
		t.Errorf("reading gives %v", err)
	}
	if err := h.Set(doc{Body: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := h.Set(doc{Bad: true}); !errors.Is(err, errEncode) {
		t.Errorf("setting gives %v", err)
	}
	if err := h.Update(func(*doc) error { return errEncode }); !errors.Is(err, errEncode) {
		t.Errorf("updating gives %v", err)
	}
	if c, err := h.Read(nil); err != nil || content.ValueOf(&c).Text != "a" || h.Get().Body != "a" {
		t.Errorf("the value is %v, %v", c, err)
	}
}
