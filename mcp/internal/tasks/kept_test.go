package tasks_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// What a handler has saved is in the store when SaveCheckpoint returns.
func TestTaskCheckpointIsKept(t *testing.T) {
	store := new(task.Memory)
	early := 0
	saves := restartable("saves", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		for i := range 200 {
			text := strconv.Itoa(i)
			if err := c.SaveCheckpoint([]byte(text)); err != nil {
				return content.ToolResult{}, err
			}
			r, err := store.Get(context.Background(), c.TaskID())
			if err != nil {
				return content.ToolResult{}, err
			}
			if string(r.Checkpoint) != text {
				early++
			}
		}
		return content.ToolText("saved"), nil
	})
	one(t, &server.Options{Logger: noLog, Tasks: task.Options{Store: store}}, func(_ *taskServer, c *harness) {
		id := c.createTask("saves")
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`)
		if early > 0 {
			t.Errorf("SaveCheckpoint has returned %d times before the store had it", early)
		}
	}, saves)
}

// A handler that runs again after an answer has the checkpoint that it has saved before it asked.
func TestTaskCheckpointBeforeQuestion(t *testing.T) {
	began := 0 // from the start
	saves := restartable("saves", func(c *call.Call, args []byte) (content.ToolResult, error) {
		if c.Checkpoint() == nil {
			began++
			if err := c.SaveCheckpoint([]byte("half")); err != nil {
				return content.ToolResult{}, err
			}
		}
		if r, err := askTwo(c, args); err != nil {
			return r, err
		}
		return content.ToolText("from " + string(c.Checkpoint())), nil
	})
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("saves")
		synctest.Wait()
		contains(t, c.ask(withTasks("3", "tasks/update", `"taskId":"`+id+
			`","inputResponses":{"first":{"action":"accept"},"second":{"action":"accept"}}`)), `"result"`)
		synctest.Wait()
		contains(t, c.getTask(id), `"status":"completed"`, "from half")
		if began != 1 {
			t.Errorf("the handler has begun from its start %d times", began)
		}
	}, saves)
}

// The last status message is that of a task that has ended, also if there was no time to write it before.
func TestTaskLastMessage(t *testing.T) {
	says := restartable("says", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		c.SetStatus("first")
		time.Sleep(5 * time.Millisecond) // it is written, and the next one waits
		c.SetStatus("last")
		return content.ToolText("done"), nil
	})
	one(t, nil, func(_ *taskServer, c *harness) {
		id := c.createTask("says")
		time.Sleep(time.Second)
		contains(t, c.getTask(id), `"status":"completed"`, `"statusMessage":"last"`)
	}, says)
}

// A status message is written 10 ms after the one before at the latest, and to a store of the program four times a
// second at most: then the last one counts.
func TestTaskMessagePace(t *testing.T) {
	says := restartable("says", func(c *call.Call, _ []byte) (content.ToolResult, error) {
		for _, text := range []string{"first", "second", "third"} {
			c.SetStatus(text)
			time.Sleep(15 * time.Millisecond)
		}
		<-c.Done()
		return content.ToolResult{}, c.Err()
	})
	for _, store := range []task.Store{nil, new(task.Memory)} {
		o := &server.Options{Tasks: task.Options{Store: store}}
		one(t, o, func(_ *taskServer, c *harness) {
			id := c.createTask("says")
			time.Sleep(42 * time.Millisecond)
			soon := "third"
			if store != nil {
				soon = "first"
			}
			contains(t, c.getTask(id), `"statusMessage":"`+soon+`"`)
			time.Sleep(time.Second / 4)
			contains(t, c.getTask(id), `"statusMessage":"third"`)
		}, says)
	}
}
