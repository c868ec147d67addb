package verdict

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Each history of tasks has the violations that it should.
func TestTasks(t *testing.T) {
	done := &TaskEnd{"completed", "done k"}
	interrupted := &TaskEnd{"failed", Interrupted}
	for name, c := range map[string]struct {
		once   bool
		runs   int
		happen func(t *Tasks)
		want   []Kind
	}{
		"completed": {false, 1, func(t *Tasks) {
			t.Seen("A", nil)
			t.Seen("A", done)
			t.Seen("A", done)
		}, nil},
		"completed after it ran twice":   {false, 2, func(t *Tasks) { t.Seen("A", done) }, nil},
		"once, completed":                {true, 1, func(t *Tasks) { t.Seen("A", done) }, nil},
		"once, interrupted":              {true, 1, func(t *Tasks) { t.Seen("A", interrupted) }, nil},
		"once, interrupted early":        {true, 0, func(t *Tasks) { t.Seen("A", interrupted) }, nil},
		"cancelled":                      {true, 1, func(t *Tasks) { t.Cancel("A"); t.Seen("A", &TaskEnd{"cancelled", ""}) }, nil},
		"cancelled too late":             {true, 1, func(t *Tasks) { t.Cancel("A"); t.Seen("A", done) }, nil},
		"cancelled by nobody":            {true, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"cancelled", ""}) }, []Kind{TaskWrong}},
		"no end":                         {true, 1, func(t *Tasks) { t.Seen("A", nil) }, []Kind{TaskOpen}},
		"never seen":                     {true, 1, func(*Tasks) {}, []Kind{TaskOpen}},
		"unknown":                        {true, 1, func(t *Tasks) { t.Unknown("A"); t.Seen("A", done) }, []Kind{TaskGone}},
		"once, twice":                    {true, 2, func(t *Tasks) { t.Seen("A", done) }, []Kind{TaskTwice}},
		"another result":                 {false, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"completed", "done x"}) }, []Kind{TaskWrong}},
		"a result of nobody":             {false, 0, func(t *Tasks) { t.Seen("A", done) }, []Kind{TaskWrong}},
		"again, interrupted":             {false, 1, func(t *Tasks) { t.Seen("A", interrupted) }, []Kind{TaskWrong}},
		"failed for another reason":      {true, 1, func(t *Tasks) { t.Seen("A", &TaskEnd{"failed", "no"}) }, []Kind{TaskWrong}},
		"an end that changes":            {false, 1, func(t *Tasks) { t.Seen("A", done); t.Seen("A", interrupted) }, []Kind{TaskChanged}},
		"an end that is none afterwards": {false, 1, func(t *Tasks) { t.Seen("A", done); t.Seen("A", nil) }, []Kind{TaskChanged}},
		"told": {false, 1, func(t *Tasks) {
			n := t.Listening("A")
			t.Told(n, "A", nil)
			t.Seen("A", done)
			t.Told(n, "A", done)
		}, nil},
		"told on the second listen only": {false, 1, func(t *Tasks) {
			t.Broken(t.Listening("A"))
			t.Told(t.Listening("A"), "A", done)
		}, nil},
		"untold": {false, 1, func(t *Tasks) {
			t.Told(t.Listening("A"), "A", nil)
			t.Seen("A", done)
		}, []Kind{TaskUntold}},
		"untold, and the listen ended": {false, 1, func(t *Tasks) { t.Broken(t.Listening("A")); t.Seen("A", done) }, nil},
		"told of an end and no end": {false, 1, func(t *Tasks) {
			n := t.Listening("A")
			t.Told(n, "A", done)
			t.Told(n, "A", nil)
		}, []Kind{TaskChanged}},
		"told of another end": {false, 1, func(t *Tasks) {
			t.Seen("A", done)
			t.Told(t.Listening("A"), "A", interrupted)
		}, []Kind{TaskChanged}},
		"told of another task": {false, 1, func(t *Tasks) {
			t.Seen("A", done)
			t.Told(t.Listening("B"), "A", done)
		}, []Kind{TaskForeign}},
		"listed":       {false, 1, func(t *Tasks) { t.Seen("A", done); t.Listed("A", []string{"B", "A"}) }, nil},
		"not listed":   {false, 1, func(t *Tasks) { t.Seen("A", done); t.Listed("A", []string{"B"}) }, []Kind{TaskGone}},
		"an id of two": {false, 1, func(t *Tasks) { t.Created("A", "k", false); t.Seen("A", done) }, []Kind{TaskWrong}},
		"a task that was not confirmed, twice": {false, 1, func(t *Tasks) {
			t.Seen("A", done)
			t.Judge(map[string]int{"k": 1, "once 2": 2}, func(key string) bool { return strings.HasPrefix(key, "once") })
		}, []Kind{TaskTwice}},
	} {
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
