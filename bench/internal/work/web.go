package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Memory is what a process holds after garbage collection.
type Memory struct {
	// Bytes are those of the heap and of stacks.
	Bytes uint64
	// Goroutines are how many run.
	Goroutines int
}

// Answer is a response over HTTP, and over pipes a line.
type Answer struct {
	Header map[string][]string `json:",omitempty"`
	Body   []byte
}

// WriteTo writes the answer to a file, for the programs that do no work: these send it for every request, so that they
// write as much as a real server.
func (a Answer) WriteTo(path string) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// ReadAnswer reads what WriteTo has written.
func ReadAnswer(path string) (a Answer, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}

// WebOps are the rows over HTTP.
func WebOps() (list []Op) {
	for _, o := range Ops() {
		switch o.Name {
		case "text 1 KiB", "blob 64 KiB dynamic", "typed tool":
			list = append(list, o)
		}
	}
	list = append(list,
		op("text of 16 MiB", Legacy, Small, "resources/read", `"uri":"`+LargeTextURI+`"`, `of many lines`),
		op("blob of 16 MiB", Legacy, Small, "resources/read", `"uri":"`+LargeBlobURI+`"`, `"blob":"`))
	for _, n := range []int{1, 16} {
		text := strings.Replace(search, `"stand"`, `"`+strings.Repeat("x", n<<20)+`"`, 1)
		list = append(list, op(fmt.Sprintf("arguments of %d MiB", n), Legacy, Small, "tools/call", text,
			`"structuredContent":{"`))
	}
	return list
}

// IsLarge says whether the request of o is, or its answer.
func (o Op) IsLarge() bool { return strings.HasSuffix(o.Name, " MiB") }

// News is the resource that changes.
const News = "bench:///news"

// Subscribe asks for the updates of News in 2025-11-25.
const Subscribe = `{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"` + News + `"}}`

// ListenNews opens a stream of 2026-07-28 for the updates of News.
const ListenNews = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":` +
	`{"resourceSubscriptions":["` + News + `"]},` + meta + `}}`

// IsListen says whether a request opens a stream.
func IsListen(body []byte) bool { return bytes.Contains(body, []byte(`"subscriptions/listen"`)) }

// Listen opens a stream of 2026-07-28.
const Listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`
