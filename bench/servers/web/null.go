package main

import (
	"io"
	"net/http"
	"sync"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// null is a handler that reads a request and writes the same answer to all, with the same headers: what net/http alone
// costs. Its streams get the same event for each update.
type null struct {
	answer  work.Answer
	mu      sync.Mutex
	streams []chan struct{}
}

// event is what a stream gets: what a real server writes for an update.
const event = `data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + work.News + `",` +
	`"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}` + "\n\n"

func (n *null) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodGet || work.IsListen(body) {
		n.stream(w, r)
		return
	}
	for name, values := range n.answer.Header {
		if name != "Date" && name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	_, _ = w.Write(n.answer.Body)
}

func (n *null) stream(w http.ResponseWriter, r *http.Request) {
	updates := make(chan struct{}, 1)
	n.mu.Lock()
	n.streams = append(n.streams, updates)
	n.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.Flush()
	text := []byte(event)
	for {
		select {
		case <-updates:
			_, _ = w.Write(text)
			_ = out.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// publish writes the event to all streams.
func (n *null) publish() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, updates := range n.streams {
		updates <- struct{}{}
	}
}
