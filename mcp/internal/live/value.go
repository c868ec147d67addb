package live

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// attached are the servers that serve a live value.
type attached struct {
	mu  sync.RWMutex
	all []attachedServer // replaced, never changed
}

type attachedServer struct {
	server feature.Publisher
	listed bool
}

func (a *attached) attach(s feature.Publisher, listed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(slices.Clip(a.all), attachedServer{s, listed})
}

func (a *attached) detach(s feature.Publisher) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = slices.DeleteFunc(slices.Clone(a.all), func(l attachedServer) bool { return l.server == s })
}

// publish tells all attached servers that the resource at uri may have changed. list says that the lists of resources
// may have changed too. reloaded says that the change came from another replica. Joined servers need no call of their
// own, because they are attached too. publish never blocks.
func (a *attached) publish(uri string, list, reloaded bool) {
	a.mu.RLock()
	servers := a.all
	a.mu.RUnlock()
	for _, l := range servers { // without the lock: methods of the user's types may run
		l.server.PublishLive(uri, list && l.listed, reloaded)
	}
}

// maxUpdateRuns is how often Update calls its function at most. If the value has changed during each of these calls,
// the function itself probably changes it.
const maxUpdateRuns = 1000

// errUpdateRuns is returned by Update after maxUpdateRuns calls.
var errUpdateRuns = fmt.Errorf("mcp: Update: the value was changed during each of %d runs of the function: "+
	"it must change the value that it is given, and nothing else", maxUpdateRuns)

// snapshot is one state of a live value, with its encoded contents and its entry in lists. It is not changed once it is
// stored.
type snapshot struct {
	value    any
	ref      feature.Ref
	uri      string // of ref
	contents content.Contents
	err      error // the error of encoding; nil if there are contents
	timed    bool  // the value itself has the time of its last change
}

// newSnapshot encodes v. That may run methods of the user's type, so no lock may be held. If v does not have its size,
// newSnapshot sets it. The time of the change is set by follow.
func newSnapshot[T any](
	v T, entry func([]byte, T) feature.Ref, contents func(T, error) (content.Contents, error),
) *snapshot {
	s := &snapshot{value: v, ref: entry(nil, v)}
	s.contents, s.err = contents(v, nil)
	s.complete()
	return s
}

// complete sets the fields that depend on ref and contents.
func (s *snapshot) complete() {
	s.uri = string(s.ref.URI)
	content.ValueOf(&s.contents).Own()
	s.timed = !s.ref.Info.Modified.IsZero()
	if s.ref.Info.Size == nil && s.err == nil {
		s.ref.Info.Size = content.ValueOf(&s.contents).Size()
	}
}

// follow prepares s to replace old, which is nil for the first state. It reports whether clients see a difference. If
// the value does not have the time of its last change, follow sets it: to the parameter now if clients see a
// difference, otherwise to that of old.
func (s *snapshot) follow(old *snapshot, now time.Time) (changed bool) {
	changed = old == nil || !s.same(old)
	switch {
	case s.timed:
	case changed:
		s.ref.Info.Modified = now
	default:
		s.ref.Info.Modified = old.ref.Info.Modified
	}
	return changed
}

// same reports whether clients would see no difference between s and o, apart from times.
func (s *snapshot) same(o *snapshot) bool {
	a, b := s.ref, o.ref
	a.Info.Modified, b.Info.Modified = time.Time{}, time.Time{}
	return (s.err == nil) == (o.err == nil) && reflect.DeepEqual(s.contents, o.contents) && reflect.DeepEqual(a, b)
}
