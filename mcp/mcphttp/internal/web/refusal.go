package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Explain refuses a request that no MCP client sends. A person with a browser or curl reads in plain text what this
// endpoint is; a program gets the error that [Refuse] sends.
func Explain(w http.ResponseWriter, r *http.Request, why *Refusal) {
	if !byPerson(r) {
		Refuse(w, why)
		return
	}
	WriteText(w, why.Status, sentence(why.Text)+`

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

// byPerson reports whether a person has sent a request: it has an Accept header without a type of MCP, and no header
// whose name begins with Mcp-.
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

// WriteText writes a whole response for a person.
func WriteText(w http.ResponseWriter, status int, text string) {
	head := w.Header()
	head.Set("Content-Type", "text/plain; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	head["Cache-Control"] = NoStore
	head["X-Content-Type-Options"] = NoSniff
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// Refusal is why a request is not handled at all.
type Refusal struct {
	Status int
	Text   string
}

// NewRefusal returns a refusal with a status and a text, which begins in lower case.
func NewRefusal(status int, text string) *Refusal { return &Refusal{status, text} }

// RetryAfter is the value of Retry-After in responses with status 503: how many seconds a client should wait before it
// tries again.
const RetryAfter = "5"

// Refuse answers a request that is not handled. The body is a JSON-RPC error without an id.
func Refuse(w http.ResponseWriter, why *Refusal) {
	if why.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", RetryAfter)
	}
	fault := wire.NewError(wire.CodeInvalidRequest, why.Text)
	_ = WriteJSON(w, why.Status, wire.AppendError(nil, wire.ID{}, false, fault))
}

// WriteJSON writes a whole response.
func WriteJSON(w http.ResponseWriter, status int, body []byte) error {
	WriteHead(w, status, len(body))
	_, err := Progressing(w, AnswerTimeout, len(body)).Write(body)
	return err
}

// WriteHead writes the head of a JSON response whose body has size bytes.
func WriteHead(w http.ResponseWriter, status, size int) {
	head := w.Header()
	head["Content-Type"] = jsonType
	head["Content-Length"] = []string{strconv.Itoa(size)} // so that the body is whole even if the connection ends
	head["Cache-Control"] = NoStore
	head["X-Content-Type-Options"] = NoSniff
	w.WriteHeader(status)
}

// AnswerError answers a message with an error that the transport has made, and counts the answer in counts.
func AnswerError(w http.ResponseWriter, status int, e *session.Envelope, fault *wire.Error, counts *counters.Counters) {
	counts.Answered(e.Message.Method, fault.Code)
	_ = WriteJSON(w, status, wire.AppendError(nil, e.Message.ID, false, fault))
}
