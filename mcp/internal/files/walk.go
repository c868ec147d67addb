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
	// maxVisits is the largest number of directories that are opened for one page. A page that reaches it ends early, and
	// the next page goes on.
	maxVisits = 10_000
	// nameBatch is how many names of a directory are read at once. maxNames is how many names the content of a directory
	// has at most.
	nameBatch, maxNames = 1000, 10_000
)

// Walk returns a list of all files below a root (list=walk in the grammar), directory by directory, in the order of
// their names. A page begins after the last path of the previous page. Between pages only the names in large
// directories are kept in memory, for a minute and up to a limit. A file that exists all the time is listed once,
// whatever happens to other files. Files below links to directories are left out, because they also have a path without
// the link.
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
	left   int    // entries for which the page has room
	visits int    // directories that may still be opened
	last   string // the last path done, with all files below it
	full   bool
	to     *feature.PageBuilder
}

var errPageFull = errors.New("page is full")

// dir lists the files below the directory path. If after is not "", it is a path relative to the directory, and only
// files after it in the order of the list are listed. A directory that cannot be read counts as empty, and is not
// logged, because directories come and go. The error is errPageFull if there may be more for the next page.
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

// child is dir for the directory in which the previous page ended. It does nothing if that is no directory any more.
func (w *fileWalk) child(path, after string) error {
	info, err := w.files.Root.Lstat(path)
	if err != nil || !info.IsDir() {
		return nil //nolint:nilerr // it is gone; the list goes on after it
	}
	if err := w.dir(path, after); err != nil {
		return err
	}
	w.last = path
	return nil
}

// entry lists the file at path, or the files below it if it is a directory.
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

// stat returns the FileInfo of the file at path, or of the file to which a link at path leads. It returns nil for a
// link to a directory, and if there is no file, because files come and go.
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

// join joins the path of a directory and a name. dir may be ".", the root.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// namesIn returns the names in a directory that begin with prefix and are greater than the parameter after, sorted. If
// there are more than limit such names, it returns the first ones, and more is true. A directory that cannot be read
// has no names. The error is that of ctx.
func namesIn(ctx context.Context, root *os.Root, path, after, prefix string, limit int) (names []string, more bool,
	err error) {
	d, err := root.OpenFile(path, os.O_RDONLY|dirFlags, 0)
	if err != nil {
		return nil, false, nil // it is gone, or this process may not read it
	}
	defer func() { _ = d.Close() }()
	for {
		batch, err := d.Readdirnames(nameBatch)
		for _, name := range batch {
			if name > after && strings.HasPrefix(name, prefix) && servableName(name) {
				names = append(names, name)
			}
		}
		if len(names) > 2*limit || len(batch) == 0 || err != nil {
			slices.Sort(names)
			if len(names) > limit {
				names, more = names[:limit], true
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err != nil || len(batch) == 0 {
			return names, more, nil // io.EOF, or the directory is gone
		}
	}
}

// Complete completes a path by one name: it returns the files and directories whose names begin with the part of prefix
// after the last slash.
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

// directory returns the content of a directory: the names in it, one on each line.
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
