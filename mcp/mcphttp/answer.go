package mcphttp

import (
	"net/http"
	"time"
)

// pieceOfAnswer is how much of an answer has to be taken before the next deadline begins.
const pieceOfAnswer = 32 << 10

// endSoon bounds how long net/http may write what is left of a response. The deadline ends with the request.
func endSoon(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d)) // not every server has deadlines
}

// smallAnswer is the largest answer that net/http keeps until the request has ended, with its head.
const smallAnswer = 1 << 10

// progressing returns w with a deadline for each piece of what is written, if that is large: size bytes.
func progressing(w http.ResponseWriter, d time.Duration, size int) http.ResponseWriter {
	if size <= smallAnswer {
		return w
	}
	return &slowly{w, d}
}

// slowly is a response that its client takes at its own pace, but not at none.
type slowly struct {
	http.ResponseWriter
	timeout time.Duration
}

// Write implements io.Writer.
func (s *slowly) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), pieceOfAnswer)]
		endSoon(s.ResponseWriter, s.timeout)
		var m int
		m, err = s.ResponseWriter.Write(piece)
		n, b = n+m, b[m:]
	}
	return n, err
}
