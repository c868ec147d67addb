package shared

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// A record has the last tasks of a session, within what it may be subscribed to at all, and its URIs stay.
func TestTasksOfRecord(t *testing.T) {
	task := func(n int) string { return fmt.Sprintf(" task/%03d", n) }
	uris := []string{"a:///1", "a:///2"}
	for _, c := range []struct {
		name        string
		before      int // tasks
		most        int
		add         []string
		first, last string // tasks afterwards
		tasks       int
		err         error
	}{
		{"the first", 0, 100, []string{task(1)}, task(1), task(1), 1, nil},
		{"several", 0, 100, []string{task(2), task(1), task(2)}, task(1), task(2), 2, nil},
		{"one that is there", 3, 100, []string{task(2)}, task(0), task(2), 3, errSame},
		{"one too many", 64, 100, []string{task(64)}, task(1), task(64), 64, nil},
		{"an older one", 64, 100, []string{" task/"}, task(0), task(63), 64, errSame},
		{"as many as subscriptions", 3, 5, []string{task(7)}, task(1), task(7), 3, nil},
		{"no room", 0, 2, []string{task(1)}, "", "", 0, errSame},
	} {
		r := record{}
		for n := range c.before {
			r.uris = append(r.uris, task(n))
		}
		r.uris = append(r.uris, uris...)
		err := r.addTasks(c.add, c.most)
		n := len(r.uris) - len(uris)
		if !errors.Is(err, c.err) || n != c.tasks || !slices.IsSorted(r.uris) || !slices.Equal(r.uris[n:], uris) ||
			n > 0 && (r.uris[0] != c.first || r.uris[n-1] != c.last) {
			t.Errorf("%s: %v, %q", c.name, err, r.uris)
		}
		for i, topic := range r.uris {
			if server.IsTask(topic) != (i < n) {
				t.Errorf("%s: %q is at %d", c.name, topic, i)
			}
		}
	}
}
