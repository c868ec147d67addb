package work

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"sync"
)

// Memory is what a process holds after garbage collection.
type Memory struct {
	// Bytes are those of the heap and of stacks.
	Bytes uint64
	// Goroutines are how many run.
	Goroutines int
}

// nulls are answers of the size that right ones have.
var nulls = sync.OnceValue(func() (a struct{ text, blob, tool []byte }) {
	a.text, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "result": map[string]any{"contents": Text()}})
	a.blob = []byte(`{"blob":"` + base64.StdEncoding.EncodeToString(Blob()) + `"}`)
	a.tool, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "result": map[string]any{"structuredContent": Search(In{})}})
	return a
})

// NullAnswer is what a server writes that does no work.
func NullAnswer(request []byte) []byte {
	a := nulls()
	switch {
	case bytes.Contains(request, []byte("bench:///text")):
		return a.text
	case bytes.Contains(request, []byte("bench:///blob")):
		return a.blob
	}
	return a.tool
}

// WebOps are the rows over HTTP.
func WebOps() (list []Op) {
	for _, o := range Ops() {
		switch o.Name {
		case "text 1 KiB", "blob 64 KiB dynamic", "typed tool":
			list = append(list, o)
		}
	}
	return list
}

// Listen opens a stream of 2026-07-28.
const Listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`
