package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	taskDone        = &TaskEnd{"completed", "done k"}
	taskInterrupted = &TaskEnd{"failed", Interrupted}
)

// taskHistories are what happens to a task, and the violations in it.
var taskHistories = map[string]struct {
	once   bool
	runs   int
	happen func(t *Tasks)
	want   []Kind
}{
	"completed": {false, 1, func(t *Tasks) {
		t.Seen("A", nil)
		t.Seen("A", taskDone)
		t.Seen("A", taskDone)
	}, nil},
	"completed after it ran twice": {false, 2, func(t *Tasks) { t.Seen("A", taskDone) }, nil},
	"once, completed":              {true, 1, func(t *Tasks) { t.Seen("A", taskDone) }, nil},
	"once, interrupted":            {true, 1, func(t *Tasks) { t.Seen("A", taskInterrupted) }, nil},
	"once, interrupted early":      {true, 0, func(t *Tasks) { t.Seen("A", taskInterrupted) }, nil},
	"cancelled": {
		true, 1, func(t *Tasks) { t.Cancel("A"); t.Seen("A", &TaskEnd{"cancelled", ""}) }, nil,
	},
	"cancelled too late": {true, 1, func(t *Tasks) { t.Cancel("A"); t.Seen("A", taskDone) }, nil},
	"cancelled by nobody": {
		true, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"cancelled", ""}) }, []Kind{TaskWrong},
	},
	"no end":     {true, 1, func(t *Tasks) { t.Seen("A", nil) }, []Kind{TaskOpen}},
	"never seen": {true, 1, func(*Tasks) {}, []Kind{TaskOpen}},
	"unknown": {
		true, 1, func(t *Tasks) { t.Unknown("A"); t.Seen("A", taskDone) }, []Kind{TaskGone},
	},
	"once, twice": {true, 2, func(t *Tasks) { t.Seen("A", taskDone) }, []Kind{TaskTwice}},
	"another result": {
		false, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"completed", "done x"}) }, []Kind{TaskWrong},
	},
	"a result of nobody": {false, 0, func(t *Tasks) { t.Seen("A", taskDone) }, []Kind{TaskWrong}},
	"again, interrupted": {false, 1, func(t *Tasks) { t.Seen("A", taskInterrupted) }, []Kind{TaskWrong}},
	"failed for another reason": {
		true, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"failed", "no"}) }, []Kind{TaskWrong},
	},
	"an end that changes": {
		false, 1, func(t *Tasks) { t.Seen("A", taskDone); t.Seen("A", taskInterrupted) }, []Kind{TaskChanged},
	},
	"an end that is none afterwards": {
		false, 1, func(t *Tasks) { t.Seen("A", taskDone); t.Seen("A", nil) }, []Kind{TaskChanged},
	},
	"asked before its end, answered after it": {false, 1, func(t *Tasks) {
		seen := t.Asking("A")
		t.Told(t.Listening("A"), "A", taskDone)
		seen(nil)
	}, nil},
	"asked after its end": {false, 1, func(t *Tasks) {
		t.Told(t.Listening("A"), "A", taskDone)
		t.Asking("A")(nil)
	}, []Kind{TaskChanged}},
	"told": {false, 1, func(t *Tasks) {
		n := t.Listening("A")
		t.Told(n, "A", nil)
		t.Seen("A", taskDone)
		t.Told(n, "A", taskDone)
	}, nil},
	"told on the second listen only": {false, 1, func(t *Tasks) {
		t.Broken(t.Listening("A"))
		t.Told(t.Listening("A"), "A", taskDone)
	}, nil},
	"untold": {false, 1, func(t *Tasks) {
		t.Told(t.Listening("A"), "A", nil)
		t.Seen("A", taskDone)
	}, []Kind{TaskUntold}},
	"untold, and the listen ended": {
		false, 1, func(t *Tasks) { t.Broken(t.Listening("A")); t.Seen("A", taskDone) }, nil,
	},
	"told of an end and no end": {false, 1, func(t *Tasks) {
		n := t.Listening("A")
		t.Told(n, "A", taskDone)
		t.Told(n, "A", nil)
	}, []Kind{TaskChanged}},
	"told of another end": {false, 1, func(t *Tasks) {
		t.Seen("A", taskDone)
		t.Told(t.Listening("A"), "A", taskInterrupted)
	}, []Kind{TaskChanged}},
	"told of another task": {false, 1, func(t *Tasks) {
		t.Seen("A", taskDone)
		t.Told(t.Listening("B"), "A", taskDone)
	}, []Kind{TaskForeign}},
	"listed": {false, 1, func(t *Tasks) { t.Seen("A", taskDone); t.Listed("A", []string{"B", "A"}) }, nil},
	"not listed": {
		false, 1, func(t *Tasks) { t.Seen("A", taskDone); t.Listed("A", []string{"B"}) }, []Kind{TaskGone},
	},
	"an id of two": {
		false, 1, func(t *Tasks) { t.Created("A", "k", false); t.Seen("A", taskDone) }, []Kind{TaskWrong},
	},
	"a task that was not confirmed, twice": {false, 1, func(t *Tasks) {
		t.Seen("A", taskDone)
		t.Judge(map[string]int{"k": 1, "once 2": 2}, func(key string) bool { return strings.HasPrefix(key, "once") })
	}, []Kind{TaskTwice}},
}

// Each history of tasks has the violations that it should.
func TestTasks(t *testing.T) {
	for name, c := range taskHistories {
		checker := New(time.Now)
		tasks := checker.Tasks()
		tasks.Created("A", "k", c.once)
		c.happen(tasks)
		tasks.Judge(map[string]int{"k": c.runs}, func(string) bool { return c.once })
		list, _ := checker.Violations()
		var got []Kind
		for _, v := range list {
			got = append(got, v.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
