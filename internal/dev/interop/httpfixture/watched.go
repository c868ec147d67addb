package httpfixture

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
)

// watched is a handler for one client, whose messages and answers the validator sees.
type watched struct {
	http.Handler
	t *testing.T

	mu      sync.Mutex
	session *validator.Session
}

// ServeHTTP implements http.Handler.
func (h *watched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	h.session.FromClient(body)
	h.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	tee := &tee{ResponseWriter: w, h: h}
	h.Handler.ServeHTTP(tee, r)
	tee.end()
}

// message shows a message of the server to the validator.
func (h *watched) message(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.session.FromServer(text); err != nil {
		h.t.Errorf("the server wrote: %v", err)
	}
}

// tee looks at what is written. Writes come one after the other, as net/http demands.
type tee struct {
	http.ResponseWriter
	h    *watched
	rest []byte // of a line without its end
	skip bool   // the data of the event is no message
}

// Unwrap lets the handler flush and set deadlines.
func (w *tee) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter. The validator sees a message before the client does.
func (w *tee) Write(b []byte) (int, error) {
	w.rest = append(w.rest, b...)
	for w.streams() {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			break
		}
		if event, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			w.skip = string(event) == "endpoint"
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(data) > 0 && !w.skip {
			w.h.message(data)
		}
		w.rest = bytes.Clone(rest)
	}
	return w.ResponseWriter.Write(b)
}

func (w *tee) streams() bool {
	return strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream")
}

// end looks at an answer that was no stream.
func (w *tee) end() {
	if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && len(w.rest) > 0 {
		w.h.message(w.rest)
	}
}
