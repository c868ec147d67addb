package call

import (
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/engine"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

const (
	// SmallValue is the largest value, in bytes, that a handler may return without its being counted against ConnRoom.
	// smallRead is the largest buffer, in bytes, for the contents of a reader that is not counted either.
	SmallValue, smallRead = 64 << 10, 16 << 10
	// MaxSizeHint is the largest size of a reader that is believed. A reader that claims more is read as if its size
	// were unknown.
	MaxSizeHint = 1 << 30
	// ConnRoom is how many bytes of values the responses of one connection may have together. They count from before they
	// are made until they are written.
	ConnRoom = 64 << 20
)

// watchRoom counts the bytes that all watchers read at the same time.
var watchRoom = engine.NewPool(ConnRoom, nil, nil)

// room returns where the bytes of the response of c are counted; nil if they are not.
func (c *Call) room() engine.Room {
	switch {
	case c.req.Conn == nil:
		return watchRoom
	case c.req.Responder == nil:
		return nil
	}
	return c.req.Responder.Room()
}

// Hold raises the bytes that are counted for c to n. If waits is true, a call that holds nothing yet waits until there
// is room; it must allocate the memory only then. The error, engine.ErrNoRoom, is the response.
func (c *Call) Hold(n int64, waits bool) error {
	room, x := c.room(), c.more()
	if room == nil || n <= x.held {
		return nil
	}
	var ok bool
	if waits && x.held == 0 {
		ok = room.Await(n, c.Done())
	} else {
		ok = room.Take(n - x.held)
	}
	if !ok {
		return engine.ErrNoRoom
	}
	x.held = n
	return nil
}

// more returns the extra part of c, and makes it the first time.
func (c *Call) more() *callExtra {
	c = c.Own()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.extraLocked()
}

// holdOnly gives back all but n bytes of what c holds.
func (c *Call) holdOnly(n int64) {
	c = c.Own()
	c.mu.Lock()
	x := c.extra
	c.mu.Unlock()
	if x == nil {
		return
	}
	if x.large != nil {
		x.held = x.large.Held // less than before if a batch has it
	}
	if more := x.held - n; more > 0 {
		x.held = n
		c.room().Give(more)
	}
}

// SetLarge sets the large values of the response. The bytes that c holds are counted for them.
func (c *Call) SetLarge(inserts []wire.Insert) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.extraLocked()
	x.large = &engine.Large{Inserts: inserts, Held: x.held}
}

// Returned counts n bytes that a handler has returned. The error, engine.ErrNoRoom, is the response.
func (c *Call) Returned(n int) error {
	if n <= SmallValue {
		return nil
	}
	return c.Hold(int64(n), false)
}

// Load returns contents as they are, unless they are a reader: then it reads them.
func (c *Call) Load(contents content.Contents) (content.Contents, error) {
	u := content.ValueOf(&contents).Unread
	if u == nil {
		return contents, nil
	}
	defer u.Close()
	if x := ExchangeOf(c.req.Responder); x != nil && x.Peeks {
		return content.Blob(nil), nil
	}
	b, err := c.readAll(u.From)
	if err != nil {
		return content.Contents{}, err
	}
	contents = content.Blob(b)
	if u.Textual {
		contents = content.TextBytes(b)
	}
	return content.WithType(u.MIMEType)(contents, nil)
}

// readAll reads r. It counts memory before it takes it: at once if r tells its size, else step by step. It waits its
// turn only before the first step.
func (c *Call) readAll(r io.Reader) ([]byte, error) {
	size, err := sizeOf(r)
	if err != nil {
		return nil, err
	}
	small := int64(smallRead)
	if size >= 0 {
		small = min(small, size+1)
	}
	b := make([]byte, 0, small)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			c.holdOnly(counted(cap(b)))
			if cap(b) > LargeValue {
				c.more().buffer = b
			}
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			if b, err = c.enlarge(b, size); err != nil {
				return nil, err
			}
		}
	}
}

// counted returns how much of n bytes is counted.
func counted(n int) int64 {
	if n <= smallRead {
		return 0
	}
	return int64(n)
}

// enlarge makes room behind b. size is the size that b will have, or negative if it is unknown.
func (c *Call) enlarge(b []byte, size int64) ([]byte, error) {
	next := 2 * int64(cap(b))
	if size >= int64(len(b)) {
		next = size + 1 // so that the end is seen without another step
	}
	if err := c.Hold(counted(cap(b))+next, true); err != nil {
		return nil, err
	}
	b = append(newBuffer(next), b...)
	c.holdOnly(int64(cap(b)))
	return b, nil
}

// buffers has *[]byte: large buffers of responses that were written, for the next responses. So the heap does not grow
// while requests wait for room.
var buffers sync.Pool

// newBuffer returns an empty buffer with room for n bytes.
func newBuffer(n int64) []byte {
	if n > LargeValue {
		b, _ := buffers.Get().(*[]byte)
		if b != nil && int64(cap(*b)) >= n && int64(cap(*b)) <= n+n/4 {
			return (*b)[:0:n]
		}
	}
	return make([]byte, 0, n)
}

// Release gives back all that c holds, after its response was written or handed to a batch.
func (c *Call) Release() {
	c.holdOnly(0)
	c.mu.Lock()
	x := c.extra
	c.mu.Unlock()
	if x == nil || x.buffer == nil {
		return
	}
	if _, batch := c.req.Responder.(*BatchItem); !batch {
		b := x.buffer
		buffers.Put(&b)
	}
	x.buffer = nil
}

// sizeOf returns how many bytes r says there are to read; -1 if r says nothing. The real number may differ.
func sizeOf(r io.Reader) (int64, error) {
	size := int64(-1)
	switch r := r.(type) {
	case interface{ Left() (int64, error) }:
		return r.Left()
	case interface{ Len() int }:
		size = int64(r.Len())
	case interface{ Size() int64 }:
		size = r.Size()
	case interface{ Stat() (fs.FileInfo, error) }:
		if info, err := r.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	if size > MaxSizeHint {
		size = -1
	}
	return size, nil
}

// LargeValue is the size, in bytes, from which on a value is encoded only while the response is written.
const LargeValue = 256 << 10
