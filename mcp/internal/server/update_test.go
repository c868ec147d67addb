package server

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
)

// kept is a holder or a store with one value, whose key is 1.
type kept struct {
	update func(func(*doc) error) error
	get    func() doc
	// nested are the changes of the same value that a function of Update may try.
	nested map[string]func() error
}

func keptValues(t *testing.T) map[string]kept {
	h, s := live.NewHolder(doc{ID: 1}, docEntry, docContents), newDocs()
	if err := s.Put(doc{ID: 1}); err != nil {
		t.Fatal(err)
	}
	nested := func(d *doc) error { d.Body = "nested"; return nil }
	return map[string]kept{
		"holder": {h.Update, h.Get, map[string]func() error{
			"Set":    func() error { return h.Set(doc{Body: "nested"}) },
			"Update": func() error { return h.Update(nested) },
		}},
		"store": {
			func(f func(*doc) error) error { return s.Update(1, f) },
			func() doc { d, _ := s.Get(1); return d },
			map[string]func() error{
				"Put":    func() error { return s.Put(doc{ID: 1, Body: "nested"}) },
				"Update": func() error { return s.Update(1, nested) },
			},
		},
	}
}

// A function of Update that changes the value in another way runs again and again, because the value is not the one
// that it was given. The Update gives up and says why, and later changes go through.
func TestChangeInsideUpdate(t *testing.T) {
	for name, k := range keptValues(t) {
		for method, nested := range k.nested {
			runs := 0
			err := k.update(func(d *doc) error {
				runs++
				d.Body = "lost"
				return nested()
			})
			if err == nil || !strings.Contains(err.Error(), "it must change the value that it is given") || runs < 2 {
				t.Errorf("%s: with %s inside, Update gives %v after %d runs", name, method, err, runs)
			}
			if d := k.get(); d.Body != "nested" {
				t.Errorf("%s: %s inside has left %+v", name, method, d)
			}
			if err := k.update(func(d *doc) error { d.Body = "after"; return nil }); err != nil || k.get().Body != "after" {
				t.Errorf("%s: an Update afterwards: %v, %+v", name, err, k.get())
			}
		}
	}
}

// A value that the function of its Update deletes is not there when the function is to run again. Other values of the
// store may change.
func TestDeleteInsideUpdate(t *testing.T) {
	s := newDocs()
	for _, id := range []int{1, 2} {
		if err := s.Put(doc{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Update(1, func(d *doc) error {
		d.Body = "one"
		return s.Update(2, func(d *doc) error { d.Body = "two"; return nil })
	})
	if d, _ := s.Get(2); err != nil || d.Body != "two" {
		t.Errorf("%v, and another value is %+v", err, d)
	}
	err = s.Update(1, func(*doc) error { s.Delete(1); return nil })
	if _, ok := s.Get(1); !errors.Is(err, content.ErrNotFound) || ok {
		t.Errorf("%v, and the value is there: %v", err, ok)
	}
}

// While a function of Update runs, others read and change the value. It runs again then, so that no change is lost.
func TestChangesDuringUpdate(t *testing.T) {
	for name, k := range keptValues(t) {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			err := k.update(func(d *doc) error {
				if runs++; runs == 1 {
					done := make(chan struct{})
					go func() { // waited for, which would hang if Update held a lock
						defer close(done)
						if err := k.update(func(d *doc) error { d.Body += "other,"; return nil }); err != nil {
							t.Error(err)
						}
						if k.get().Body != "other," {
							t.Errorf("%s: reading gives %+v", name, k.get())
						}
					}()
					<-done
				}
				d.Body += "mine"
				return nil
			})
			if err != nil || runs != 2 || k.get().Body != "other,mine" {
				t.Errorf("%s: %v after %d runs: %+v", name, err, runs, k.get())
			}
		})
	}
}

// Functions of two Updates, each of which updates what the other one updates, do not wait for each other.
func TestCrossedUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newDocs(), newDocs()
		for _, s := range []docStore{a, b} {
			if err := s.Put(doc{ID: 1}); err != nil {
				t.Fatal(err)
			}
		}
		met := make(chan struct{})
		cross := func(s, o docStore, meet func()) {
			first := true
			err := s.Update(1, func(d *doc) error {
				if first {
					meet()
				}
				first = false
				d.Body = "x"
				return o.Update(1, func(d *doc) error { d.Title = "y"; return nil })
			})
			if err != nil {
				t.Error(err)
			}
		}
		go cross(a, b, func() { met <- struct{}{} })
		cross(b, a, func() { <-met })
		synctest.Wait()
		for _, s := range []docStore{a, b} {
			if d, _ := s.Get(1); d.Body != "x" || d.Title != "y" {
				t.Errorf("%+v", d)
			}
		}
	})
}

// A function that has its value changed each time that it runs comes to an end.
func TestUpdateThatNeverFits(t *testing.T) {
	for name, k := range keptValues(t) {
		err := k.update(func(*doc) error {
			done := make(chan error)
			go func() { done <- k.update(func(d *doc) error { d.Body += "."; return nil }) }()
			return <-done
		})
		if err == nil || !strings.Contains(err.Error(), "was changed during each of") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
