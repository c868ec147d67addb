// Package served is the server that the attacks of package attack are made on. It has one feature for each thing that a
// client may ask too much of.
//
//mcp:server name=served version=1.0.0
package served

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
	"github.com/mcpgen/mcpgen/mcp"
)

// Note is what the tools that ask want to know.
//
//mcp:form
type Note struct {
	Text string `json:"text"`
}

// Echo returns its argument.
//
//mcp:tool
func Echo(_ context.Context, text string) (string, error) { return text, nil }

// Limited returns its argument, a few times for each client.
//
//mcp:tool
//mcp:limit rate=20/h
func Limited(_ context.Context, text string) (string, error) { return text, nil }

// long is what Huge returns the beginning of, so that answers cost what the runtime makes of them.
var long = sync.OnceValue(func() string { return strings.Repeat("0123456789abcdef", 16<<16) })

// Huge returns so many MiB of text.
//
//mcp:tool
//mcp:arg mib min=1 max=16
func Huge(_ context.Context, mib int) (string, error) { return long()[:mib<<20], nil }

// pixels are the bytes of long.
var pixels = sync.OnceValue(func() []byte { return []byte(long()) })

// Essay is a prompt with so many MiB of text.
//
//mcp:prompt
//mcp:arg mib min=1 max=16
func Essay(_ context.Context, mib int) (string, error) { return long()[:mib<<20], nil }

// Photo has so many MiB of bytes.
//
//mcp:resource uri=photo:///{mib} mime=image/png list=none
//mcp:var mib min=1 max=16
func Photo(_ context.Context, mib int) ([]byte, error) { return pixels()[:mib<<20], nil }

// Toil goes on for so many milliseconds, and says each time how far it is.
//
//mcp:tool task=once
//mcp:arg ms min=0 max=600000
func Toil(ctx context.Context, text string, ms int, call *mcp.Call) (string, error) {
	for i := 0; i < ms; i += 10 {
		select {
		case <-time.After(10 * time.Millisecond):
			call.SetStatus("step " + strconv.Itoa(i))
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return strconv.Itoa(len(text)), nil
}

// short is the beginning of long, for who needs no more of it.
var short = sync.OnceValue(func() string { return strings.Repeat("0123456789abcdef", 4<<16) })

// Gift returns so many KiB.
//
//mcp:tool task=once
//mcp:arg kib min=0 max=4096
func Gift(_ context.Context, kib int) (string, error) { return short()[:kib<<10], nil }

// Slow returns when its call ends.
//
//mcp:tool
func Slow(ctx context.Context) (string, error) {
	attack.Begun()
	<-ctx.Done()
	return "", ctx.Err()
}

// Deaf returns after so many milliseconds, whether its call has ended or not.
//
//mcp:tool
//mcp:arg ms min=0 max=60000
func Deaf(_ context.Context, ms int) (string, error) {
	time.Sleep(time.Duration(ms) * time.Millisecond)
	return "late", nil
}

var gathered struct {
	sync.Mutex
	n    int
	full chan struct{}
}

// Gather returns when so many of its calls run at the same time.
//
//mcp:tool
//mcp:arg n min=1 max=1000
func Gather(ctx context.Context, n int) (string, error) {
	gathered.Lock()
	if gathered.full == nil {
		gathered.full = make(chan struct{})
	}
	full := gathered.full
	if gathered.n++; gathered.n == n {
		gathered.n, gathered.full = 0, nil
		close(full)
	}
	gathered.Unlock()
	select {
	case <-full:
		return "all", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Ask asks the user one question.
//
//mcp:tool
func Ask(ctx context.Context, client mcp.Peer) (string, error) {
	attack.Begun()
	note, err := mcp.AskForm[Note](ctx, client, "note", "What is it?")
	return note.Text, err
}

// Survey asks the user two questions, the second after the first.
//
//mcp:tool
func Survey(ctx context.Context, client mcp.Peer) (string, error) {
	first, err := mcp.AskForm[Note](ctx, client, "first", "What is it?")
	if err != nil {
		return "", err
	}
	second, err := mcp.AskForm[Note](ctx, client, "second", "What else?")
	return first.Text[:min(len(first.Text), 10)] + second.Text, err
}

// Publish announces a change of an item.
//
//mcp:tool updates=item:///{name}
func Publish(_ context.Context, name string) (string, error) { return name, nil }

// Item returns its name. Everybody may subscribe to every name, and nothing watches them.
//
//mcp:resource uri=item:///{name} mime=text/plain subscribe list=none
func Item(_ context.Context, name string) (string, error) { return name, nil }

// Watched returns the text of one of ten names. A function watches what clients subscribe to.
//
//mcp:resource uri=watched:///{name} mime=text/plain subscribe list=none
func Watched(_ context.Context, name string) (string, error) {
	if len(name) != 1 {
		return "", fs.ErrNotExist
	}
	return name, nil
}

// WatchWatched watches without end, and finds no change.
//
//mcp:watch of=Watched
func WatchWatched(ctx context.Context, name string) iter.Seq2[time.Time, error] {
	return func(yield func(time.Time, error) bool) {
		if name == "" {
			yield(time.Time{}, errors.New("no name"))
			return
		}
		<-ctx.Done()
	}
}

// Files are the files below a directory.
type Files struct {
	// Root is the directory.
	Root *os.Root
}

// File is one file, as it is.
//
//mcp:resource uri=tree:///{+path} root=Root list=walk directory
func (f *Files) File(_ context.Context, file fs.File) (fs.File, error) { return file, nil }
