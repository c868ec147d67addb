// Command attacked serves what the attacks of internal/dev/robustness/attack ask for, made with one library: mcpgen, go-sdk
// or mcp-go, which is its first argument. With -http it serves over HTTP at an address, else on stdio. Each library has
// its default options, and what its documentation shows for serving.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
	"github.com/mcpgen/mcpgen/internal/dev/robustness/served"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

func main() {
	log.SetFlags(0)
	name := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	if name == work.Ours {
		served.Main()
	}
	addr := flag.String("http", "", "address")
	flag.Parse()
	if err := attack.Control(nil); err != nil {
		log.Fatal(err)
	}
	lib := map[string]func() library{work.SDK: sdkLibrary, work.MCPGo: mcpgoLibrary}[name]()
	if *addr == "" {
		if err := lib.stdio(); err != nil {
			log.Fatal(err)
		}
		return
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", lib.legacy)
	mux.Handle("/modern", lib.modern)
	fmt.Fprintf(os.Stderr, "serving address=%s\n", l.Addr())
	// As http.ListenAndServe and StreamableHTTPServer.Start do, which have no options.
	log.Fatal(http.Serve(l, mux))
}

// library is a server made with a library.
type library struct {
	legacy, modern http.Handler
	stdio          func() error
}

// long is what the tool huge returns the beginning of.
var long = sync.OnceValue(func() string { return strings.Repeat("0123456789abcdef", 64<<16) })

// page is the text of a file of the row.
func page(uri string) (string, error) {
	text, err := os.ReadFile(filepath.Join(os.Getenv(attack.FilesVariable), filepath.Base(uri)))
	return string(text), err
}

// in are the arguments of all tools.
type in struct {
	Text string `json:"text,omitempty"`
	Name string `json:"name,omitempty"`
	MiB  int    `json:"mib,omitempty"`
	MS   int    `json:"ms,omitempty"`
	N    int    `json:"n,omitempty"`
}

// gathering are the calls of the tool gather that run.
type gathering struct {
	sync.Mutex
	n    int
	full chan struct{}
}

// await waits until n calls run, or done is closed.
func (g *gathering) await(n int, done <-chan struct{}) {
	g.Lock()
	if g.full == nil {
		g.full = make(chan struct{})
	}
	full := g.full
	if g.n++; g.n == n {
		g.n, g.full = 0, nil
		close(full)
	}
	g.Unlock()
	select {
	case <-full:
	case <-done:
	}
}

var gathered gathering

// simple are the tools that need nothing of the library.
var simple = map[string]func(done <-chan struct{}, a in) string{
	"echo": func(_ <-chan struct{}, a in) string { return a.Text },
	"huge": func(_ <-chan struct{}, a in) string { return long()[:a.MiB<<20] },
	"slow": func(done <-chan struct{}, _ in) string { <-done; return "" },
	"deaf": func(_ <-chan struct{}, a in) string {
		time.Sleep(time.Duration(a.MS) * time.Millisecond)
		return "late"
	},
	"gather": func(done <-chan struct{}, a in) string {
		gathered.await(a.N, done)
		return "all"
	},
}
