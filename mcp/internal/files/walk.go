package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

const (
	// maxVisits is how many directories are opened for one page; the next page goes on from there.
	maxVisits = 10_000
	// nameBatch is how many names of a directory are read at once, and maxNames how many the content of a directory
	// shows at most.
	nameBatch, maxNames = 1000, 10_000
)

// Walk lists all files below a root (list=walk in the grammar) in the order of their names, directory by directory. A
// page begins behind the last path of the previous page. Between pages only the names in large directories are kept,
// for a minute and within a bound. A file that is there all the time is listed once, whatever else comes and goes.
// Files below links to directories are left out: they have a path without the link.
func Walk(files func() Files) feature.Instances { return &fileInstances{files: files} }

type fileInstances struct {
	files func() Files
	names nameKeeper
}

// List implements [feature.Instances].
func (l *fileInstances) List(
	ctx context.Context, from string, size int, to *feature.PageBuilder) (next string, err error,
) {
	w := &fileWalk{ctx: ctx, files: l.files(), names: &l.names, left: size, visits: maxVisits, last: from, to: to}
	if w.files.Root == nil {
		return "", nil
	}
	if err := w.dir(".", from); err != nil && !errors.Is(err, errPageFull) {
		return "", err
	}
	if w.full {
		next = w.last
	}
	return next, nil
}

// fileWalk makes one page of a list.
type fileWalk struct {
	ctx    context.Context
	files  Files
	names  *nameKeeper
	left   int    // entries that fit
	visits int    // directories that may be opened
	last   string // the last path that is behind us, with all below it
	full   bool
	to     *feature.PageBuilder
}

var errPageFull = errors.New("page is full")

// dir lists what is below the directory path. If after is not "", it is a path inside the directory, and only what
// comes behind it is listed. A directory that cannot be read counts as empty and is not logged: files come and go.
func (w *fileWalk) dir(path, after string) error {
	if w.visits--; w.visits < 0 {
		w.full = true
		return errPageFull
	}
	name, below, resumed := strings.Cut(after, "/")
	if resumed && servableName(name) {
		if err := w.child(join(path, name), below); err != nil {
			return err
		}
	}
	for {
		names, more, err := w.names.names(w.ctx, w.files.Root, path, name)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := w.entry(join(path, name)); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		name = names[len(names)-1]
	}
}

// child is dir for the directory in which the previous page ended.
func (w *fileWalk) child(path, after string) error {
	info, err := w.files.Root.Lstat(path)
	if err != nil || !info.IsDir() {
		return nil //nolint:nilerr // it is gone, and we go on behind it
	}
	if err := w.dir(path, after); err != nil {
		return err
	}
	w.last = path
	return nil
}

// entry lists a file, or the files below a directory.
func (w *fileWalk) entry(path string) error {
	info := w.stat(path)
	switch {
	case info == nil || !servable(path):
	case info.IsDir():
		if err := w.dir(path, ""); err != nil {
			return err
		}
	case info.Mode().IsRegular():
		if w.left == 0 {
			w.full = true
			return errPageFull
		}
		w.left--
		w.to.Add(w.files.ref(path, info))
	}
	w.last = path
	return nil
}

// stat describes the file at path, or the file that a link there leads to. It returns nil for a link to a directory,
// and if there is nothing, which is no error: files come and go.
func (w *fileWalk) stat(path string) fs.FileInfo {
	info, err := w.files.Root.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		_, info, err = resolve(w.files.Root, path)
		if err == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return nil
	}
	return info
}

// ref returns the entry of a file in a list.
func (f *Files) ref(path string, info fs.FileInfo) feature.Ref {
	ref := feature.Ref{URI: []byte(f.URI(path)), Name: path}
	ref.Info.Size, ref.Info.Modified = new(info.Size()), info.ModTime()
	if f.MIMEType == "" {
		ref.Info.MIMEType = mimetype.ByName(path)
	}
	return ref
}

// join joins two paths with slashes; the first may be the root.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// namesIn returns the names in a directory that are greater than the name after and begin with prefix, sorted. These
// are the first ones, as many as most says, and more reports whether there are others. A directory that cannot be read
// has none.
func namesIn(ctx context.Context, root *os.Root, path, after, prefix string, most int) (names []string, more bool,
	err error) {
	d, err := root.OpenFile(path, os.O_RDONLY|dirFlags, 0)
	if err != nil {
		return nil, false, nil // it has gone, or is not for us
	}
	defer func() { _ = d.Close() }()
	for {
		batch, err := d.Readdirnames(nameBatch)
		for _, name := range batch {
			if name > after && strings.HasPrefix(name, prefix) && servableName(name) {
				names = append(names, name)
			}
		}
		if len(names) > 2*most || len(batch) == 0 || err != nil {
			slices.Sort(names)
			if len(names) > most {
				names, more = names[:most], true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err != nil || len(batch) == 0 {
			return names, more, nil // io.EOF, or a directory that has gone
		}
	}
}

// Complete completes one level of directories at a time: what follows the last slash.
func (l *fileInstances) Complete(ctx context.Context, prefix string) ([]string, error) {
	f := l.files()
	at := strings.LastIndexByte(prefix, '/') + 1
	dir := strings.TrimSuffix(prefix[:at], "/")
	if dir == "" {
		dir = "."
	}
	if f.Root == nil || at == 1 || dir != "." && !servable(dir) {
		return nil, nil
	}
	names, _, err := namesIn(ctx, f.Root, dir, "", prefix[at:], nameBatch)
	if err != nil {
		return nil, err
	}
	out := names[:0]
	for _, name := range names {
		switch _, info, err := resolve(f.Root, join(dir, name)); {
		case err != nil:
		case info.IsDir():
			out = append(out, prefix[:at]+name+"/")
		case info.Mode().IsRegular():
			out = append(out, prefix[:at]+name)
		}
	}
	return out, nil
}

// directory is the content of a directory: its names.
func directory(c *call.Call, root *os.Root, path string) (content.Contents, error) {
	if path == "" {
		path = "."
	}
	names, more, err := namesIn(c, root, path, "", "", maxNames)
	if err != nil {
		return content.Contents{}, err
	}
	var text strings.Builder
	for _, name := range names {
		switch _, info, err := resolve(root, join(path, name)); {
		case err != nil:
		case info.IsDir():
			_, _ = fmt.Fprintln(&text, name+"/")
		case info.Mode().IsRegular():
			_, _ = fmt.Fprintln(&text, name)
		}
	}
	if more {
		_, _ = io.WriteString(&text, "…\n")
	}
	return content.Many(content.Content{MIMEType: "inode/directory", Text: text.String()}), nil
}
