package server

import (
	"errors"
	"io/fs"
	"iter"
	"runtime/debug"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// Poll returns the Watch of a [feature.Resource] whose source does not tell of changes. While the resource has
// subscribers, the watcher calls read about once in each interval, and reports a change if the content differs from
// that of the last call. The interval varies by a tenth, so that not all watchers read at the same time.
//
// The watcher also reports a change if a client of the server has read another content since the last call. So if a
// content exists only between two calls, a client that has read it is told that it is gone.
//
// If each caller gets a different content, what clients read says nothing of changes. So the watcher reports changes
// for this reason less and less often: it waits for twice as many intervals each time, up to 64, until read itself
// returns another content.
func Poll(
	every time.Duration, read func(*call.Call) (content.Contents, error),
) func(*call.Call) (iter.Seq2[time.Time, error], error) {
	return func(c *call.Call) (iter.Seq2[time.Time, error], error) {
		return pubsub.Poll(c, every, func() pubsub.View { return viewThrough(c, read) }), nil
	}
}

// viewOf returns the view of the result of a read. A resource that does not exist has the view of empty contents, not
// of an error.
func viewOf(c content.Contents, err error) pubsub.View {
	if errors.Is(err, content.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		c, err = content.Contents{}, nil
	}
	if err != nil {
		return pubsub.View{Err: err}
	}
	return pubsub.View{Sum: content.ValueOf(&c).Sum()}
}

// viewThrough calls read and returns the view of its result. A panic counts as an error, so that one bad read does not
// end the watcher.
func viewThrough(c *call.Call, read func(*call.Call) (content.Contents, error)) (v pubsub.View) {
	defer func() {
		if p := recover(); p != nil {
			v = pubsub.View{Err: &content.PanicError{Value: p, Stack: debug.Stack()}}
		}
	}()
	defer c.Release()
	contents, err := read(c)
	if err == nil {
		contents, err = c.Load(contents)
	}
	return viewOf(contents, err)
}
