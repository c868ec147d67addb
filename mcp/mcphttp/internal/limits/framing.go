package limits

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// A request with both Content-Length and Transfer-Encoding can smuggle another request: a proxy that believes the one
// and a server that believes the other disagree where the next request begins. net/http believes Transfer-Encoding, and
// removes Content-Length before a handler sees it, so the connection looks for both itself. If it cannot tell, it
// closes after the request, and reads nothing that was smuggled (RFC 9112, section 6.1).

// maxFramingName is the length of the longest of the names, with its colon.
const maxFramingName = len("transfer-encoding:")

// framing is what a connection has seen of the header of the last request.
type framing struct {
	mu    sync.Mutex // net/http may read ahead while a handler runs
	phase phase
	room  int // size of the buffer of the first read; 0 before it
	// net/http reads one byte ahead to notice that the client has left. This is that byte, the first one of the next
	// header.
	early []byte // before next was called; nil if there is none
	ahead bool   // that byte was taken, so the next read has room for one less
	// The beginning of the line that comes.
	line [maxFramingName]byte
	n    int // bytes of it, those that are not kept included

	begun            bool // a line of the header was not empty
	length, encoding bool
}

// phase is how much of the header of a request was seen.
type phase uint8

const (
	awaited phase = iota // nothing
	coming               // the beginning
	whole                // all
	unseen               // some of it has come with the request before, or nothing can be seen
)

// next begins the header of another request.
func (f *framing) next() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase != unseen || f.room > 0 {
		f.phase = awaited
	}
	f.n, f.begun, f.length, f.encoding, f.ahead = 0, false, false, false, false
	if f.phase == awaited && f.early != nil {
		f.first(f.early)
	}
	f.early = nil
}

// first takes the first byte of a header.
func (f *framing) first(b []byte) {
	f.ahead, f.phase = true, coming
	f.take(b)
	f.phase = awaited
}

// hide notes that nothing can be seen, because what is read is not HTTP.
func (f *framing) hide() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phase, f.room = unseen, 0
}

// saw takes what was read from the connection; room is the size of the buffer. A read for a header has the same size as
// the first read of the connection, unless net/http has a part of that header already; then the phase becomes unseen.
func (f *framing) saw(b []byte, room int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case room == 1 && f.room > 0 && f.phase == awaited && !f.ahead:
		f.first(b)
		return
	case room == 1 && f.room > 0 && (f.phase == whole || f.phase == unseen) && len(b) == 1:
		f.early = []byte{b[0]}
		return
	case f.phase == awaited:
		if f.room == 0 {
			f.room = room
		}
		want := f.room
		if f.ahead {
			want--
		}
		if f.phase = coming; room != want {
			f.phase = unseen
		}
	}
	f.take(b)
}

// take looks at the part of a header that is in b.
func (f *framing) take(b []byte) {
	for f.phase == coming && len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		if f.n < len(f.line) {
			copy(f.line[f.n:], line)
		}
		if f.n += len(line); ended {
			f.endLine()
		}
		b = rest
	}
}

// endLine looks at a complete line of the header. A line that begins with a space continues the one before.
func (f *framing) endLine() {
	line := f.line[:min(f.n, len(f.line))]
	switch name, _, _ := bytes.Cut(line, []byte{':'}); {
	case len(line) == 0 || f.n == 1 && line[0] == '\r':
		if f.begun { // empty lines before a request are skipped
			f.phase = whole
		}
	case len(name) == len(line):
	case bytes.EqualFold(name, []byte("content-length")):
		f.length = true
	case bytes.EqualFold(name, []byte("transfer-encoding")):
		f.encoding = true
	}
	f.begun = f.begun || f.n > 1 || f.n == 1 && line[0] != '\r'
	f.n = 0
}

// finding reports whether a request has both headers. unknown says that this could not be seen.
func (f *framing) finding() (both, unknown bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.phase == whole && f.length && f.encoding, f.phase != whole
}

// framingKey is the key of the framing of a connection in the contexts of its requests.
type framingKey struct{}

// unframed refuses a request whose end is ambiguous, and closes its connection. If it cannot see the header, it closes
// the connection after the response. A request of HTTP/1.1 without Transfer-Encoding is not ambiguous. Requests of
// HTTP/1.0 are always checked, because net/http ignores Transfer-Encoding there and does not show it.
func unframed(w http.ResponseWriter, r *http.Request) (refused bool) {
	if r.ProtoMajor != 1 || r.ProtoMinor > 0 && len(r.TransferEncoding) == 0 {
		return false
	}
	both, unknown := false, true
	if f, ok := r.Context().Value(framingKey{}).(*framing); ok {
		both, unknown = f.finding()
	}
	if both || unknown {
		w.Header().Set("Connection", "close")
	}
	if both {
		web.HangUp(w, r)
		web.WriteText(w, http.StatusBadRequest, "Content-Length and Transfer-Encoding exclude each other.\n")
	}
	return both
}
