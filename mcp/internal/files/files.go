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
	// maxDepth is the most elements of a path below a root, and maxPath its longest length in bytes.
	maxDepth, maxPath = 64, 4096
)

// Files are the files below a directory, served as instances of one template (root= in the grammar). Clients can reach
// regular files inside the directory. They reach them through links too, if these stay inside and do not pass a name
// that begins with a dot. Nothing else exists for them: no devices, pipes or sockets; no name that begins with a dot,
// and nothing below it; no name that is not valid UTF-8 or has a backslash or a control character; and on Windows no
// name that Windows does not take literally.
type Files struct {
	// Root is the directory. With nil there are no files.
	Root *os.Root
	// URI returns the URI of the file at a path with slashes; needed for lists only.
	URI func(path string) string
	// MIMEType is that of all files; empty means that the extension of each decides.
	MIMEType string
	// Directories says that a directory can be read too. Its content is the names in it, one on each line, with a slash
	// behind the name of a directory. The MIME type is inode/directory.
	Directories bool
}

// errTooLarge is the error of reading more of a file than Options.MaxFileBytes of the server.
var errTooLarge = content.Errorf("the file is larger than this server sends")

// Read opens the file at path, and returns the contents that the function use makes of it. The file implements
// io.Seeker, and reading more than Options.MaxFileBytes of it fails. If f.Directories is set, the contents of a
// directory are the names in it.
//
// If f.MIMEType is empty, contents without a MIME type get that of the extension. Without a known extension it is
// text/plain if they look like text, else application/octet-stream. Valid UTF-8 of a textual type is sent as text.
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

// open opens the file or directory at path, if clients may see it. It never waits, as opening a pipe would.
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
	// What has the name may be something else by now.
	if info, err = file.Stat(); err != nil || !f.readable(info) {
		_ = file.Close()
		return nil, nil, errors.Join(fs.ErrNotExist, err)
	}
	return file, info, nil
}

func (f *Files) readable(info fs.FileInfo) bool {
	return info.Mode().IsRegular() || info.IsDir() && f.Directories
}

// missing turns errors of opening a path into "not found". Only errors about the state of the machine stay.
func missing(err error) error {
	for _, machine := range []error{fs.ErrPermission, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO,
		os.ErrClosed} {
		if errors.Is(err, machine) {
			return err
		}
	}
	return fs.ErrNotExist
}

// servable reports whether clients may name a path, whatever file it is.
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

// servableName is servable for one element of a path. Variables are checked in the same way, so that everything that is
// listed can be read.
func servableName(name string) bool {
	return name != "" && name[0] != '.' && utf8.ValidString(name) && wire.SafeText(name) &&
		(runtime.GOOS != "windows" || plainOnWindows(name))
}

// windowsPorts has the characters that may follow COM and LPT in names of devices.
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

// boundedFile is a file of which a call can read only so many bytes. By seeking it can choose which.
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

// Left returns how many bytes are left to read, or errTooLarge.
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

// maxFile returns how many bytes of a file a call may read.
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

// typedBy gives contents the MIME type for the name of their file.
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

// WithLimit sets Options.MaxFileBytes for calls without a connection, which get it from their context.
func WithLimit(ctx context.Context, most int64) context.Context {
	return context.WithValue(ctx, maxFileKey{}, most)
}
