package web

import (
	"net/http"
	"time"
)

const (
	// AnswerTimeout is how long a client may take to read each piece of a response, if the options do not say it.
	AnswerTimeout = 10 * time.Second
	// pieceOfAnswer is how many bytes of a response a client must take before the next deadline begins. It is also the
	// most that is given to net/http at once, because an HTTP/2 connection keeps a buffer as large as the largest piece
	// that was written on it, up to 16 MiB.
	pieceOfAnswer = 32 << 10
	// SmallAnswer is the size up to which net/http keeps an answer until the request has ended, and sends it together with
	// its head.
	SmallAnswer = 1 << 10
	// smallRest is the largest body that is read to keep a connection whose request was refused.
	smallRest = 4 << 10
	// hangUpTimeout is how long the sender of a larger body may go on before its connection is closed.
	hangUpTimeout = time.Second
)

// LongAgo is a deadline in the past: it ends the write that is under way.
var LongAgo = time.Unix(1, 0)

// EndSoon gives net/http at most d from now to write the rest of a response. The deadline ends with the request.
func EndSoon(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d)) // not every server has deadlines
}

// Progressing returns w for a response of size bytes. If size is above SmallAnswer, the write of each piece must end
// within d.
func Progressing(w http.ResponseWriter, d time.Duration, size int) http.ResponseWriter {
	if size <= SmallAnswer {
		return w
	}
	return &slowly{w, d}
}

// slowly is a response that its client may read slowly: each piece has a deadline of its own.
type slowly struct {
	http.ResponseWriter
	timeout time.Duration
}

// Write implements io.Writer.
func (s *slowly) Write(b []byte) (n int, err error) {
	return WritePieces(b, func(piece []byte) (int, error) {
		EndSoon(s.ResponseWriter, s.timeout)
		return s.ResponseWriter.Write(piece)
	})
}

// WritePieces calls write with pieces of b, in order, until the first error. A piece has at most pieceOfAnswer bytes. n
// is how many bytes were written.
func WritePieces(b []byte, write func(piece []byte) (int, error)) (n int, err error) {
	for len(b) > 0 && err == nil {
		var m int
		m, err = write(b[:min(len(b), pieceOfAnswer)])
		n, b = n+m, b[m:]
	}
	return n, err
}

// AwaitBody gives the client at most d from now to send the body of a request, also if the request is refused.
func AwaitBody(w http.ResponseWriter, r *http.Request, d time.Duration) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d)) // not every server has deadlines
	}
}

// HangUp closes the connection after the response to a request that is refused, unless its body is small. A body of
// unknown size is not small.
func HangUp(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength < 0 || r.ContentLength > smallRest {
		w.Header().Set("Connection", "close")
		AwaitBody(w, r, hangUpTimeout)
	}
}
