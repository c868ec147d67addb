// Package logs serves the log files of a directory: the newest entries of each, from a level upwards, with an
// update when such an entry is appended.
//
//mcp:server name=logs version=1.0.0 title="Log files" astools=generic instructions="Read file:///logs/app.log for the newest entries, and add ?level=warn&limit=20 to see fewer."
package logs

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Level is how serious an entry is.
//
//mcp:enum
type Level string

// The levels, from the least serious.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

var levels = []Level{Debug, Info, Warn, Error}

// Logs is a directory of log files, which programs append to and rotate. Its methods are safe for concurrent use.
type Logs struct {
	root *os.Root
	poll time.Duration
}

// Open returns the log files of dir. The caller closes them.
func Open(dir string) (*Logs, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Logs{root: root, poll: 100 * time.Millisecond}, nil
}

// Close releases the directory.
func (l *Logs) Close() error { return l.root.Close() }

// Tail returns the newest entries of a log file, oldest first. An entry is a line with a level and the lines
// without one that follow it.
//
//mcp:resource uri=file:///logs/{name}{?level,limit} name=log mime=text/plain subscribe
//mcp:var level default=debug desc="least serious level that is shown"
//mcp:var limit default=100 min=1 max=1000 desc="most entries that are shown"
//mcp:annotate audience=user,assistant
func (l *Logs) Tail(ctx context.Context, name string, level Level, limit int) (string, error) {
	f, err := l.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return tail(f, level, limit)
}

// ListLogs lists the log files by name.
//
//mcp:list of=Tail
func (l *Logs) ListLogs(ctx context.Context) iter.Seq2[TailRef, error] {
	return func(yield func(TailRef, error) bool) {
		names, err := l.names()
		if err != nil {
			yield(TailRef{}, err)
			return
		}
		for _, name := range names {
			info, err := l.root.Stat(name)
			if err != nil {
				continue // rotated away since the directory was read
			}
			ref := TailRef{Name: name, Level: Debug, Limit: 100}
			ref.Modified = info.ModTime()
			if !yield(ref, nil) {
				return
			}
		}
	}
}

// CompleteName proposes the files whose names start with prefix.
//
//mcp:complete of=Tail var=name
func (l *Logs) CompleteName(ctx context.Context, prefix string) ([]string, error) {
	names, err := l.names()
	return slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, prefix) }), err
}

// WatchTail reports when entries that the URI shows are appended, and when the file is replaced.
//
//mcp:watch of=Tail
func (l *Logs) WatchTail(ctx context.Context, name string, level Level) iter.Seq2[time.Time, error] {
	end := &mark{logs: l, name: name, level: level}
	end.moved()
	return func(yield func(time.Time, error) bool) {
		tick := time.NewTicker(l.poll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if end.moved() && !yield(time.Now(), nil) {
					return
				}
			}
		}
	}
}

// open opens a log file for reading. What is not a regular file is not there: a pipe would block the reader.
func (l *Logs) open(name string) (*os.File, error) {
	info, err := l.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !strings.HasSuffix(name, ".log") {
		return nil, mcp.ErrNotFound
	}
	return l.root.Open(name)
}

// names returns the sorted names of the log files.
func (l *Logs) names() ([]string, error) {
	files, err := fs.ReadDir(l.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if f.Type().IsRegular() && strings.HasSuffix(f.Name(), ".log") {
			names = append(names, f.Name())
		}
	}
	return names, nil
}
