package taskrun

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/task"
)

// waitTwice waits by wait, and lets change happen once the record was read and is not enough.
func waitTwice[R any](wait func(context.Context, string, func(R) bool) (R, error), id string, change func()) error {
	reads := 0
	_, err := wait(context.Background(), id, func(R) bool {
		if reads++; reads == 1 {
			change()
		}
		return reads == 2
	})
	return err
}

// Who waits for a task is told of a change that comes right after the record was read.
func TestChangeAfterRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		e := newEngine(t, task.Options{}, func(_ context.Context, r *Run) {
			<-finish
			r.End(Outcome{Result: json.RawMessage(`{}`)})
		})
		r := newRecord(true)
		if err := e.Create(t.Context(), r, time.Hour); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		err := waitTwice(e.Wait, r.ID, func() {
			close(finish)
			synctest.Wait()
		})
		if took := time.Since(begun); err != nil || took > 0 {
			t.Errorf("told after %v: %v", took, err)
		}
	})
}
