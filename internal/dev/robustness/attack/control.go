package attack

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// State is what a server holds, as its process says after a garbage collection.
type State struct {
	// Heap are the bytes of objects that are in use.
	Heap int64
	// Goroutines are how many there are.
	Goroutines int
	// Descriptors are how many are open; 0 if the system does not say.
	Descriptors int
}

// within reports whether s has not more goroutines and descriptors than another state.
func (s State) within(o State) bool {
	return s.Goroutines <= o.Goroutines && s.Descriptors <= o.Descriptors
}

var begun atomic.Int64

// Begun counts a call of a handler that has begun and may wait: clients that drop their connections wait for it.
func Begun() { begun.Add(1) }

// Control serves the [State] of this process, and its numbers for Prometheus unless these are nil, at a port of
// 127.0.0.1, whose address it writes to stderr. Servers call it once, before they serve.
func Control(numbers http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/state", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		debug.FreeOSMemory() // collects too
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s := State{Heap: int64(m.HeapAlloc), Goroutines: runtime.NumGoroutine()}
		if names, err := os.ReadDir("/proc/self/fd"); err == nil {
			s.Descriptors = len(names)
		}
		_ = json.NewEncoder(w).Encode(s)
	})
	mux.HandleFunc("/stacks", func(w http.ResponseWriter, _ *http.Request) {
		b := make([]byte, 4<<20)
		_, _ = w.Write(b[:runtime.Stack(b, true)])
	})
	mux.HandleFunc("/begun", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = fmt.Fprint(w, begun.Load())
	})
	if numbers != nil {
		mux.Handle("/numbers", numbers)
	}
	hs := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = hs.Serve(l) }()
	_, err = fmt.Fprintf(os.Stderr, "attack: control address=%s\n", l.Addr())
	return err
}
