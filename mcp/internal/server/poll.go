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

// Poll returns the Watch of a [feature.Resource] that reports no changes by itself: for as long as somebody is
// subscribed, it calls read about once in each interval, and reports a change if the content is not that of the call
// before. The interval varies by a tenth, so that watchers do not read all at once.
//
// It also reports a change if a client of the server has read, since the call before, another content than the present
// one. So a client that has read a content which was there only between two calls is told that it has gone.
//
// Where each caller reads a content of its own, such differences mean nothing. Reports for this reason alone are
// therefore further and further apart: twice as many intervals each time, up to 64, until read itself sees a change.
func Poll(
	every time.Duration, read func(*call.Call) (content.Contents, error),
) func(*call.Call) (iter.Seq2[time.Time, error], error) {
	return func(c *call.Call) (iter.Seq2[time.Time, error], error) {
		return pubsub.Poll(c, every, func() pubsub.View { return viewThrough(c, read) }), nil
	}
}

// viewOf is the view of what a read has returned. No content is a content, too.
func viewOf(c content.Contents, err error) pubsub.View {
	if errors.Is(err, content.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		c, err = content.Contents{}, nil
	}
	if err != nil {
		return pubsub.View{Err: err}
	}
	return pubsub.View{Sum: content.ValueOf(&c).Sum()}
}

// viewThrough reads. A panic is an error, so that one bad read does not end the watcher.
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
