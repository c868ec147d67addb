// Package floor answers the requests of the comparison by hand, from what it has prepared: what
// could be reached without any library, any check and any other request.
package floor

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Server holds the answers. It is safe for concurrent use.
type Server struct{ text, blob, item, tool, list []byte }

// New prepares the answers.
func New() *Server {
	out, err := json.Marshal(work.Search(work.In{Limit: 3}))
	if err != nil {
		panic(err) // of the types in package work
	}
	return &Server{
		text: contents("bench:///text", "text", work.Text()),
		blob: contents("bench:///blob", "blob", base64.StdEncoding.EncodeToString(work.Blob())),
		item: contents("item:///one/text", "text", "one"),
		tool: []byte(`{"content":[{"type":"text","text":` + strconv.Quote(string(out)) + `}],"structuredContent":` +
			string(out) + `}`),
		list: list(),
	}
}

func contents(uri, kind, value string) []byte {
	body, err := json.Marshal(map[string]any{"contents": []map[string]string{{"uri": uri, "mimeType": "text/plain",
		kind: value}}})
	if err != nil {
		panic(err) // of strings only
	}
	return body
}

func list() []byte {
	b := []byte(`{"resources":[`)
	for i, id := range work.IDs() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"uri":"list:///`+id+`","name":"`+id+`","description":"`+work.ListDescription+`","mimeType":"text/plain"}`...)
	}
	return append(b, "]}"...)
}

// Answer appends the answer to a request, and a newline, to out.
func (s *Server) Answer(out, line []byte) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, member(line, `"id":`)...)
	out = append(out, `,"result":`...)
	out = append(out, s.result(line)...)
	return append(out, "}\n"...)
}

func (s *Server) result(line []byte) []byte {
	switch string(member(line, `"method":`)) {
	case `"tools/call"`:
		return s.tool
	case `"resources/list"`:
		return s.list
	case `"resources/read"`:
		switch uri := member(line, `"uri":`); {
		case string(uri) == `"bench:///text"`:
			return s.text
		case bytes.HasPrefix(uri, []byte(`"bench:`)):
			return s.blob
		}
		return s.item
	}
	return []byte("{}")
}

// member returns the value behind the first key. It trusts that a value holds no comma or brace.
func member(line []byte, key string) []byte {
	i := bytes.Index(line, []byte(key))
	if i < 0 {
		return nil
	}
	rest := line[i+len(key):]
	if end := bytes.IndexAny(rest, ",}"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}
