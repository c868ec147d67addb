package events

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// index has the arguments of those that are watched, so that an event is compared with each of them once, however many
// have subscribed with the same.
type index struct {
	mu     sync.Mutex
	byTag  map[any]*asked
	byArgs map[string]*asked
	list   []*asked // all of byArgs; nil if it has to be made anew
}

// asked are arguments, and the tags of those that have subscribed with them.
type asked struct {
	args   string
	filter any
	tags   map[any]struct{}
}

// add adds a tag to the arguments of its subscription.
func (x *index) add(t *Type, r *event.Reader, tag any) bool {
	x.mu.Lock()
	a := x.byArgs[string(r.Arguments)]
	x.mu.Unlock()
	if a == nil {
		s, err := t.subscriberOf(r)
		if err != nil {
			return false
		}
		a = &asked{args: string(r.Arguments), filter: s.filter, tags: map[any]struct{}{}}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byTag == nil {
		x.byTag, x.byArgs = map[any]*asked{}, map[string]*asked{}
	}
	if other := x.byArgs[a.args]; other != nil {
		a = other
	} else {
		x.byArgs[a.args], x.list = a, nil
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
	if delete(a.tags, tag); len(a.tags) == 0 {
		delete(x.byArgs, a.args)
		x.list = nil
	}
}

// all returns all arguments.
func (x *index) all() []*asked {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.list == nil {
		x.list = slices.Collect(maps.Values(x.byArgs))
	}
	return x.list
}

// appendTags appends the tags of arguments.
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
	m.All = p.stirred.Swap(false)
	page, err := p.tail.state(ctx, recent)
	if err != nil {
		p.stirred.Store(m.All)
		return m, err
	}
	at, lost := p.reachedTail(&page, after)
	if lost {
		return event.Match{After: event.Position{Epoch: page.Epoch, Seq: page.Last}, All: true}, nil
	}
	read, err := p.tail.after(ctx, page, at.Seq)
	if err != nil || read.Epoch != page.Epoch {
		p.stirred.Store(m.All)
		return event.Match{After: after}, err
	}
	for _, i := range read.items {
		m.All = m.All || i.isGap() || i.Seq > at.Seq+1
		at.Seq = i.Seq
		if !m.All {
			p.match(i, &m)
		}
	}
	if len(read.items) == 0 && read.First > at.Seq+1 { // lost behind the last one that is held
		m.All, at.Seq = true, read.First-1
	}
	m.After, m.More = at, len(read.items) > 0 && at.Seq < read.Last
	return m, nil
}

// match adds the tags of those that may get an item.
func (p *topic) match(i *item, m *event.Match) {
	if i.err != nil {
		p.e.failed(p, "id", i.ID, i.err)
		return
	}
	for _, a := range p.index.all() {
		if p.mayMatch(a.filter, i) {
			m.Tags = p.index.appendTags(m.Tags, a)
		}
	}
}

// mayMatch reports whether an item is for arguments. What panics is judged once more when it is read.
func (t *Type) mayMatch(filter any, i *item) (may bool) {
	defer func() {
		if recover() != nil {
			may = true
		}
	}()
	return t.Match == nil || t.Match(filter, i.value)
}
