package events

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// index groups subscriptions by their arguments, so that an event is compared once with each set of arguments, however
// many subscriptions have it. Arguments that require a value of a field are only compared with events that have the
// value.
type index struct {
	mu     sync.Mutex
	byTag  map[any]*asked
	byArgs map[string]*asked
	places map[place][]*asked
}

// asked is one set of arguments, with the tags of the subscriptions that have it.
type asked struct {
	args   string
	filter any
	places []place
	at     []int // at[k] is its index in the list of index.places under places[k]
	tags   map[any]struct{}
}

// place is where the index has arguments: by the value that they require of the i-th compared field. i is -1 for
// arguments that require none.
type place struct {
	i     int
	value any
}

// placesOf returns the places of arguments: of the first field that the arguments restrict, it returns one place for
// each value that they accept. Without such a field it returns the place with i = -1.
func (t *Type) placesOf(filter any) (list []place) {
	if t.Wants != nil {
		for i, values := range t.Wants(filter) {
			for _, v := range values {
				if p := (place{i, v}); !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
			if len(list) > 0 {
				return list
			}
		}
	}
	return []place{{i: -1}}
}

// placesIn returns the places at which the index may have arguments that match an event.
func (t *Type) placesIn(value any) []place {
	list := []place{{i: -1}}
	if t.Has != nil {
		for i, v := range t.Has(value) {
			list = append(list, place{i, v})
		}
	}
	return list
}

// add adds a subscription, by its tag, to those that have the same arguments. It returns false if the arguments cannot
// be decoded.
func (x *index) add(t *Type, r *event.Reader, tag any) bool {
	x.mu.Lock()
	a := x.byArgs[string(r.Arguments)]
	x.mu.Unlock()
	if a == nil {
		s, err := t.subscriberOf(r)
		if err != nil {
			return false
		}
		a = &asked{args: string(r.Arguments), filter: s.filter, places: t.placesOf(s.filter), tags: map[any]struct{}{}}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byTag == nil {
		x.byTag, x.byArgs, x.places = map[any]*asked{}, map[string]*asked{}, map[place][]*asked{}
	}
	if other := x.byArgs[a.args]; other != nil {
		a = other
	} else {
		x.byArgs[a.args], a.at = a, nil // a was removed meanwhile if a.at is not nil
		for _, p := range a.places {
			a.at = append(a.at, len(x.places[p]))
			x.places[p] = append(x.places[p], a)
		}
	}
	a.tags[tag] = struct{}{}
	x.byTag[tag] = a
	return true
}

func (x *index) remove(tag any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.byTag[tag]
	if a == nil {
		return
	}
	delete(x.byTag, tag)
	if delete(a.tags, tag); len(a.tags) > 0 {
		return
	}
	delete(x.byArgs, a.args)
	for k, p := range a.places {
		list := x.places[p]
		end := len(list) - 1
		last := list[end]
		list[a.at[k]] = last
		last.at[slices.Index(last.places, p)] = a.at[k]
		list[end] = nil
		if x.places[p] = list[:end]; end == 0 {
			delete(x.places, p)
		}
	}
}

// in returns the sets of arguments at a place.
func (x *index) in(p place) []*asked {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.places[p])
}

// appendTags appends the tags of a set of arguments.
func (x *index) appendTags(to []any, a *asked) []any {
	x.mu.Lock()
	defer x.mu.Unlock()
	for tag := range a.tags {
		to = append(to, tag)
	}
	return to
}

// Watch implements [event.Host].
func (h host) Watch(r *event.Reader, tag any) bool {
	p := h.e.byName[r.Name]
	return p != nil && p.Replay == nil && p.index.add(p.Type, r, tag)
}

// Unwatch implements [event.Host].
func (h host) Unwatch(tag any) {
	for _, p := range h.e.topics {
		p.index.remove(tag)
	}
}

// Match implements [event.Host].
func (h host) Match(ctx context.Context, name string, after event.Position) (m event.Match, err error) {
	p := h.e.byName[name]
	if m.After = after; p == nil || p.Replay != nil {
		return m, nil
	}
	stirred := p.stirred.Swap(false)
	m.All = stirred
	defer func() {
		if stirred && !m.All { // after an error, the next call sets All
			p.stirred.Store(true)
		}
	}()
	page, err := p.stateFor(ctx, after, recent)
	if err != nil {
		return event.Match{After: after}, err
	}
	at, lost := p.reachedTail(&page, after)
	if lost {
		return event.Match{After: event.Position{Epoch: page.Epoch, Seq: page.Last}, All: true}, nil
	}
	read, err := p.tail.after(ctx, page, at.Seq)
	if err != nil || read.Epoch != page.Epoch {
		return event.Match{After: after}, err
	}
	told := map[*asked]bool{}
	for _, i := range read.items {
		m.All = m.All || i.isGap() || i.Seq > at.Seq+1
		at.Seq = i.Seq
		if !m.All {
			p.match(i, &m, told)
		}
	}
	if len(read.items) == 0 && read.First > at.Seq+1 { // the log has dropped all entries behind at
		m.All, at.Seq = true, read.First-1
	}
	m.After, m.More = at, len(read.items) > 0 && at.Seq < read.Last
	return m, nil
}

// match adds the tags of subscriptions that may get an item. It skips sets of arguments in told, whose tags were added
// before.
func (p *topic) match(i *item, m *event.Match, told map[*asked]bool) {
	if i.err != nil {
		p.e.failed(p, "id", i.ID, i.err)
		return
	}
	for _, at := range p.placesIn(i.value) {
		for _, a := range p.index.in(at) {
			if !told[a] && p.mayMatch(a.filter, i) {
				told[a] = true
				m.Tags = p.index.appendTags(m.Tags, a)
			}
		}
	}
}

// mayMatch reports whether an item may match arguments. It returns true if code of the program panics, because the
// event is matched again when it is read.
func (t *Type) mayMatch(filter any, i *item) (may bool) {
	defer func() {
		if recover() != nil {
			may = true
		}
	}()
	return t.Match == nil || t.Match(filter, i.value)
}
