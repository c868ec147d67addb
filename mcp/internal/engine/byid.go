package engine

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxFew is how many requests are searched one by one.
const maxFew = 8

// byID holds requests by their ids in canonical form. While they are few it is a list, which costs less than a map, and
// almost nothing for an idle session. The zero value is empty.
type byID[C comparable] struct {
	few  []withID[C]   // up to maxFew
	many map[wire.ID]C // nil unless there are more; few is empty then
}

type withID[C comparable] struct {
	id   wire.ID
	call C
}

func (t *byID[C]) len() int { return len(t.few) + len(t.many) }

// get returns the request with an id.
func (t *byID[C]) get(id wire.ID) (call C, found bool) {
	if t.many != nil {
		call, found = t.many[id]
		return call, found
	}
	for i := range t.few {
		if t.few[i].id == id {
			return t.few[i].call, true
		}
	}
	return call, false
}

// has reports whether call is the request with an id.
func (t *byID[C]) has(id wire.ID, call C) bool {
	other, found := t.get(id)
	return found && other == call
}

// put adds a request with an id that is not there.
func (t *byID[C]) put(id wire.ID, call C) {
	if t.many == nil && len(t.few) < maxFew {
		t.few = append(t.few, withID[C]{id, call})
		return
	}
	if t.many == nil {
		t.many = make(map[wire.ID]C, 2*maxFew)
		for _, e := range t.few {
			t.many[e.id] = e.call
		}
		t.few = nil
	}
	t.many[id] = call
}

// remove removes an id. The map is dropped with its last request.
func (t *byID[C]) remove(id wire.ID) {
	if t.many != nil {
		if delete(t.many, id); len(t.many) == 0 {
			t.many = nil
		}
		return
	}
	t.few = slices.DeleteFunc(t.few, func(e withID[C]) bool { return e.id == id })
	if len(t.few) == 0 && cap(t.few) > 1 { // the room for one is kept for the next one
		t.few = nil
	}
}

// all returns the requests, in no order.
func (t *byID[C]) all() []C {
	list := make([]C, 0, t.len())
	for _, e := range t.few {
		list = append(list, e.call)
	}
	for _, call := range t.many {
		list = append(list, call)
	}
	return list
}
