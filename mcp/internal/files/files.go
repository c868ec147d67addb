package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unicode/utf8"
	"unsafe"

	"github.com/mcpgen/mcpgen/internal/mimetype"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	defaultMaxFile = 16 << 20
	// maxDepth is the largest number of elements of a path below a root, and maxPath its largest length in bytes.
	maxDepth, maxPath = 64, 4096
)

// Files are the files below a directory, served as instances of one template (root= in the grammar). Clients can read
// regular files inside the directory, also through links that stay inside it and lead through no name with a leading
// dot. For clients nothing else exists: no devices, pipes or sockets, no name with a leading dot and nothing below it,
// and no name that is not valid UTF-8 or has a backslash or a control character. On Windows, names that Windows does
// not take literally do not exist either.
type Files struct {
	// Root is the directory; nil means that there are no files.
	Root *os.Root
	// URI returns the URI of the file at a path with slashes; needed for lists only.
	URI func(path string) string
	// MIMEType is the MIME type of all files; empty means that it depends on the extension of each file.
	MIMEType string
	// Directories says that clients can read directories too. The content of a directory is the names in it, one on each
	// line, with a slash after the name of a directory. Its MIME type is inode/directory.
	Directories bool
}

// errTooLarge is returned when more bytes of a file are read than Options.MaxFileBytes of the server.
var errTooLarge = content.Errorf("the file is larger than this server sends")

// Read opens the file at path, and returns the contents that the function use makes from the file. The file implements
// io.Seeker. After Options.MaxFileBytes its Read method returns an error. If f.Directories is set and path is a
// directory, Read does not call use, and the contents are the names in the directory.
//
// If f.MIMEType is empty, contents without a MIME type get the type for the extension of the file. If the extension is
// unknown, the type is text/plain for contents that look like text, else application/octet-stream. Bytes of a textual
// type that are valid UTF-8 are sent as text.
func (f Files) Read(c *call.Call, path string, use func(fs.File) (content.Contents, error)) (content.Contents, error) {
	if f.Directories && path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	file, info, err := f.open(path)
	if err != nil {
		return content.Contents{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info.IsDir() {
		return directory(c, f.Root, path)
	}
	contents, err := use(&boundedFile{File: file, left: maxFile(c)})
	if err == nil { // the file is closed below
		contents, err = c.Load(contents)
	}
	if err != nil || f.MIMEType != "" {
		return contents, err
	}
	return typedBy(contents, path), nil
}

// open opens the file or directory at path, if clients may read it. It never waits: it does not open pipes.
func (f *Files) open(path string) (*os.File, fs.FileInfo, error) {
	if path == "" && f.Directories {
		path = "."
	}
	if f.Root == nil || path != "." && !servable(path) {
		return nil, nil, fs.ErrNotExist
	}
	where, info, err := resolve(f.Root, path)
	if err != nil {
		return nil, nil, missing(err)
	}
	if !f.readable(info) {
		return nil, nil, fs.ErrNotExist
	}
	file, err := f.Root.OpenFile(where, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, missing(err)
	}
	// Another file may have this name by now.
	if info, err = file.Stat(); err != nil || !f.readable(info) {
		_ = file.Close()
		return nil, nil, errors.Join(fs.ErrNotExist, err)
	}
	return file, info, nil
}

func (f *Files) readable(info fs.FileInfo) bool {
	return info.Mode().IsRegular() || info.IsDir() && f.Directories
}

// missing turns an error of opening a path into fs.ErrNotExist. It returns only errors about permissions or the state
// of the machine as they are.
func missing(err error) error {
	for _, machine := range []error{fs.ErrPermission, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO,
		os.ErrClosed} {
		if errors.Is(err, machine) {
			return err
		}
	}
	return fs.ErrNotExist
}

// servable reports whether path, by its text alone, can be the path of a file for clients.
func servable(path string) bool {
	if len(path) > maxPath || strings.Count(path, "/") >= maxDepth || !fs.ValidPath(path) {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if !servableName(name) {
			return false
		}
	}
	return true
}

// servableName is servable for one element of a path. Variables of URIs are checked by the same rules, so that every
// listed file can be read.
func servableName(name string) bool {
	return name != "" && name[0] != '.' && utf8.ValidString(name) && wire.SafeText(name) &&
		(runtime.GOOS != "windows" || plainOnWindows(name))
}

// windowsPorts has the characters that follow COM and LPT in the names of devices.
var windowsPorts = map[string]bool{
	"0": true, "1": true, "2": true, "3": true, "4": true, "5": true, "6": true, "7": true, "8": true, "9": true,
	"¹": true, "²": true, "³": true,
}

// plainOnWindows reports whether Windows opens the file with exactly that name, and not a device, a stream of another
// file, or a file with a longer or a shorter name.
func plainOnWindows(name string) bool {
	last := name[len(name)-1]
	if last == '.' || last == ' ' || strings.ContainsAny(name, `<>:"|?*`) {
		return false
	}
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return false
	}
	port, is := strings.CutPrefix(base, "COM")
	if !is {
		port, is = strings.CutPrefix(base, "LPT")
	}
	return !is || !windowsPorts[port]
}

// boundedFile is a file from which only left bytes can be read, at any positions.
type boundedFile struct {
	fs.File
	left int64
}

// Read implements io.Reader.
func (b *boundedFile) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.File.Read(p)
	if int64(n) > b.left {
		n, b.left = int(b.left), 0
		return n, errTooLarge
	}
	b.left -= int64(n)
	return n, err
}

// Left returns the number of bytes between the current position and the end of the file. The error is errTooLarge if
// that is more than may be read.
func (b *boundedFile) Left() (int64, error) {
	info, err := b.Stat()
	if err != nil {
		return 0, err
	}
	at, err := b.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if info.Size()-at > b.left {
		return 0, errTooLarge
	}
	return info.Size() - at, nil
}

// Seek implements io.Seeker.
func (b *boundedFile) Seek(offset int64, whence int) (int64, error) {
	return b.File.(io.Seeker).Seek(offset, whence)
}

// maxFile returns the largest number of bytes that a call may read from a file.
func maxFile(c *call.Call) int64 {
	var most int64
	if of := c.Request().Conn; of != nil && of.Shared != nil {
		most = of.Shared.MaxFileBytes
	} else {
		most, _ = c.Value(maxFileKey{}).(int64)
	}
	if most <= 0 {
		return defaultMaxFile
	}
	return most
}

// typedBy returns c with the MIME type for the name of its file, unless c already has a MIME type.
func typedBy(c content.Contents, path string) content.Contents {
	v := content.ValueOf(&c)
	b := v.Blob
	switch v.Kind {
	case content.KindText:
		b = unsafe.Slice(unsafe.StringData(v.Text), len(v.Text)) //nolint:gosec // it is only looked at
	case content.KindBlob:
	default:
		return c
	}
	mime := mimetype.ByName(path)
	if mime == "" {
		mime = "application/octet-stream"
		if looksTextual(b) {
			mime = "text/plain"
		}
	}
	piece := content.Content{MIMEType: mime}
	switch {
	case v.Kind == content.KindText:
		piece.Text = v.Text
	case mimetype.IsText(mime) && utf8.Valid(b):
		piece.Text = content.StringOf(b)
	case b == nil:
		piece.Blob = []byte{}
	default:
		piece.Blob = b
	}
	return content.Many(piece)
}

func looksTextual(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// maxFileKey is the key of Options.MaxFileBytes in the context of a watcher, whose call has no conn.
type maxFileKey struct{}

// WithLimit returns a context with limit, the value of Options.MaxFileBytes, for calls without a connection.
func WithLimit(ctx context.Context, limit int64) context.Context {
	return context.WithValue(ctx, maxFileKey{}, limit)
}
