package era

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Lazy is a value for each revision that is made on first use. Two goroutines may both make it at the same time, which
// does no harm: both make the same.
type Lazy[T any] struct {
	byRevision [int(protocol.Latest) + 1]atomic.Pointer[T]
}

// Get returns the value for rev, which build makes on first use. The value must not be changed.
func (l *Lazy[T]) Get(rev protocol.Revision, build func(protocol.Revision) T) *T {
	p := l.byRevision[rev].Load()
	if p == nil {
		v := build(rev)
		p = &v
		l.byRevision[rev].Store(p)
	}
	return p
}
