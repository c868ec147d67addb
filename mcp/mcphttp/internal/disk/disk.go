// Package disk has a store of sessions in a folder, for a server that runs as one process and starts again.
package disk

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

const (
	// headSize is how many bytes stand before a record: its version and the time when it expires, in nanoseconds since
	// 1970.
	headSize = 16
	// sweepEvery is how often a change of the store removes what has expired.
	sweepEvery = time.Minute
	// leftOver is the age at which an unfinished file counts as left by a process that was killed.
	leftOver = time.Minute
	unnamed  = "new-" // begins the name of an unfinished file
)

// errFull is the error of Save if clients have made more sessions than there is room for.
var errFull = errors.New("disk: the folder of sessions is full")

var _ replica.SessionStore = (*Sessions)(nil)

// Sessions is a [replica.SessionStore] in a folder: one file for each record. Saved records survive the end of the
// process, even if it is killed. They may not survive a power failure: clients begin new sessions then.
type Sessions struct {
	dir      string
	maxFiles int
	maxBytes int64

	mu      sync.Mutex
	files   int
	bytes   int64
	version uint64 // the last version that was given to a record
	swept   time.Time
}

// Open returns the store in a folder, which it makes if there is none. It holds 65,536 records and 1 GiB at most.
func Open(dir string) (*Sessions, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &Sessions{dir: dir, maxFiles: 1 << 16, maxBytes: 1 << 30, swept: time.Now()}
	return s, s.sweep(func(size int64) {
		s.files++
		s.bytes += size
	})
}

// Load implements [replica.SessionStore].
func (s *Sessions) Load(ctx context.Context, id string) (record []byte, version uint64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := os.ReadFile(s.file(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, replica.ErrNotFound
	case err != nil:
		return nil, 0, err
	case isOver(b):
		return nil, 0, replica.ErrNotFound
	}
	return b[headSize:], binary.BigEndian.Uint64(b), nil
}

// Save implements [replica.SessionStore].
func (s *Sessions) Save(
	ctx context.Context, id string, version uint64, record []byte, ttl time.Duration,
) (uint64, error) {
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case len(id) == 0 || len(id) > replica.MaxID || len(record) > replica.MaxRecord:
		return 0, errors.New("disk: the id or the record has a size that package replica does not allow")
	case ttl <= 0:
		return 0, errors.New("disk: ttl must be positive")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.swept) >= sweepEvery {
		s.swept = now
		go func() { _ = s.sweep(nil) }() // if it fails, the next sweep tries again
	}
	last, size, err := s.stateLocked(id)
	if err != nil {
		return 0, err
	}
	if last != version {
		return 0, replica.ErrChanged
	}
	files, bytes := s.files, s.bytes+headSize+int64(len(record))-size
	if size == 0 {
		files++
	}
	if files > s.maxFiles || bytes > s.maxBytes {
		return 0, errFull
	}
	s.version = max(s.version+1, uint64(now.UnixNano()))
	b := binary.BigEndian.AppendUint64(make([]byte, 0, headSize+len(record)), s.version)
	b = binary.BigEndian.AppendUint64(b, uint64(now.Add(ttl).UnixNano()))
	if err := s.write(s.file(id), append(b, record...)); err != nil {
		return 0, err
	}
	s.files, s.bytes = files, bytes
	return s.version, nil
}

// Delete implements [replica.SessionStore].
func (s *Sessions) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removeLocked(s.file(id))
}

// file returns the path of the file of an id. Its name is a hash in small letters, because file systems may not tell
// small letters from large ones.
func (s *Sessions) file(id string) string {
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:]))
}

// stateLocked returns the version of a record, or 0 if there is none or it has expired, and the size of its file.
func (s *Sessions) stateLocked(id string) (version uint64, size int64, err error) {
	head, size, err := readHead(s.file(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, 0, nil
	case err != nil || isOver(head):
		return 0, size, err
	}
	return binary.BigEndian.Uint64(head), size, nil
}

// readHead returns what stands before a record, and the size of the file.
func readHead(file string) (head []byte, size int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	head, err = io.ReadAll(io.LimitReader(f, headSize))
	return head, info.Size(), err
}

// isOver reports whether what stands before a record says that it has expired, or is not whole.
func isOver(head []byte) bool {
	return len(head) < headSize || uint64(time.Now().UnixNano()) >= binary.BigEndian.Uint64(head[8:])
}

// write replaces a file in one step.
func (s *Sessions) write(file string, b []byte) error {
	f, err := os.CreateTemp(s.dir, unnamed+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func (s *Sessions) removeLocked(file string) error {
	info, err := os.Stat(file)
	if err == nil {
		err = os.Remove(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	s.files--
	s.bytes -= info.Size()
	return nil
}

// sweep removes expired records and unfinished files, and calls count, unless it is nil, for each record that is left.
// It opens all files, which takes a while; other calls do not wait for it.
func (s *Sessions) sweep(count func(size int64)) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(s.dir, e.Name())
		if strings.HasPrefix(e.Name(), unnamed) {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftOver {
				_ = os.Remove(file)
			}
			continue
		}
		if len(e.Name()) != hex.EncodedLen(sha256.Size) {
			continue // not a record
		}
		head, size, err := readHead(file)
		switch {
		case err != nil:
		case isOver(head) && count != nil:
			_ = os.Remove(file) // it was not counted
		case isOver(head):
			s.removeOver(file)
		case count != nil:
			count(size)
		}
	}
	return nil
}

// removeOver removes the file of an expired record, unless the record was saved again.
func (s *Sessions) removeOver(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if head, _, err := readHead(file); err == nil && isOver(head) {
		_ = s.removeLocked(file)
	}
}
