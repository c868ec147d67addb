package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// explain refuses a request that no MCP client sends. A person with a browser or curl is told in plain text what
// this endpoint is; a program gets the error of refuse.
func explain(w http.ResponseWriter, r *http.Request, why *refusal) {
	if !byPerson(r) {
		refuse(w, why)
		return
	}
	writeText(w, why.status, sentence(why.text)+`

This is the endpoint of a server of the Model Context Protocol (MCP), over Streamable HTTP.
It is for MCP clients: give one the address of this page.

  POST    takes a JSON-RPC message, with Content-Type: application/json and
          Accept: application/json, text/event-stream
  GET     opens the event stream of a session that the header Mcp-Session-Id names
  DELETE  ends such a session

Sessions exist in revisions of the protocol before 2026-07-28.
Documentation: https://modelcontextprotocol.io
`)
}

// byPerson reports whether nothing in the headers of a request is that of an MCP client.
func byPerson(r *http.Request) bool {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	if accept == "" || strings.Contains(accept, "application/json") || strings.Contains(accept, "text/event-stream") {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "Mcp-") {
			return false
		}
	}
	return true
}

// sentence returns text with a capital letter and a full stop.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// notFound answers requests for paths of the server at which there is nothing. It names the path of the endpoint.
func notFound(w http.ResponseWriter, _ *http.Request) {
	endSoon(w, defaultAnswerTimeout)
	writeText(w, http.StatusNotFound, "There is nothing at this path. The MCP endpoint is at "+Path+".\n")
}

// writeText writes a whole response for a person.
func writeText(w http.ResponseWriter, status int, text string) {
	head := w.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	head["Cache-Control"] = noStore
	head["X-Content-Type-Options"] = noSniff
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// refusal is why a request is not handled at all.
type refusal struct {
	status int
	text   string
}

// retryAfter is in how many seconds a client should try again that got no place.
const retryAfter = "5"

// refuse answers a request that is not handled. The body says why, without an id: none was read.
func refuse(w http.ResponseWriter, why *refusal) {
	if why.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	fault := wire.NewError(wire.CodeInvalidRequest, why.text)
	_ = writeJSON(w, why.status, wire.AppendError(nil, wire.ID{}, false, fault))
}

// writeJSON writes a whole response.
func writeJSON(w http.ResponseWriter, status int, body []byte) error {
	writeHead(w, status, len(body))
	_, err := progressing(w, defaultAnswerTimeout, len(body)).Write(body)
	return err
}

// writeHead writes the head of a response of JSON with size bytes.
func writeHead(w http.ResponseWriter, status, size int) {
	head := w.Header()
	head["Content-Type"] = jsonType
	head["Content-Length"] = []string{strconv.Itoa(size)} // so that the body is whole even if the connection ends
	head["Cache-Control"] = noStore
	head["X-Content-Type-Options"] = noSniff
	w.WriteHeader(status)
}
