package mcp

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"iter"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// Poll returns the Watch of a [Resource] that reports no changes by itself: it reads the content
// about once in each interval, for as long as somebody is subscribed, and compares it with what it
// was. The interval varies by a tenth, so that watchers do not read all at once.
func Poll(every time.Duration, read func(*Call) (Contents, error)) func(*Call) (iter.Seq2[time.Time, error], error) {
	return func(c *Call) (iter.Seq2[time.Time, error], error) {
		last, failed := look(c, read)
		return func(yield func(time.Time, error) bool) {
			for pollPause(c, every) {
				now, err := look(c, read)
				// Who was told of an error, or saw it, must hear that it is over.
				news := err == nil && (now != last || failed != nil) || err != nil && failed == nil
				if failed = err; err == nil {
					last = now
				}
				if news && !yield(time.Now(), err) {
					return
				}
			}
		}, nil
	}
}

// pollPause waits for about d and reports whether c goes on.
func pollPause(c *Call, d time.Duration) bool {
	t := time.NewTimer(d - d/10 + rand.N(d/5+1)) //nolint:gosec // nobody gains from a guess
	defer t.Stop()
	select {
	case <-c.Done():
		return false
	case <-t.C:
		return true
	}
}

// look is equal for two looks at the same content. No content is a content, too.
// A panic is an error, so that one bad look does not end the watcher.
func look(c *Call, read func(*Call) (Contents, error)) (sum [sha256.Size]byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	got, err := read(c)
	if errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		got, err = Contents{}, nil
	}
	return got.sum(), err
}

// sum is a hash of all that clients see of c.
func (c *Contents) sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	field := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	h.Write([]byte{byte(c.kind)})
	field([]byte(c.text))
	field(c.blob)
	for _, p := range c.many {
		for _, text := range []string{p.URI, p.MIMEType, p.Text} {
			field([]byte(text))
		}
		field(p.Blob)
	}
	h.Sum(sum[:0])
	return sum
}
