package mcphttp

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A request of 2026-07-28 repeats parts of its body in headers, so that proxies can route it. It is refused if a header
// contradicts the body.

// mismatch is the error about a header that contradicts the body.
func mismatch(text string) *wire.Error {
	return wire.NewError(protocol.CodeHeaderMismatch, "header mismatch: "+text)
}

// checkVersion compares the version in the headers with that in the body.
func checkVersion(r *http.Request, e *session.Envelope) *wire.Error {
	declared, _ := e.DeclaredVersion()
	switch values := r.Header[web.VersionHeader]; {
	case len(values) == 0:
		return mismatch("MCP-Protocol-Version is missing")
	case len(values) > 1 || values[0] != declared:
		return mismatch("MCP-Protocol-Version does not match the _meta of the body")
	}
	return nil
}

// namedBy has, for each method, the member of the params that the header Mcp-Name repeats.
var namedBy = map[string]string{
	protocol.MethodToolsCall:     "name",
	protocol.MethodPromptsGet:    "name",
	protocol.MethodResourcesRead: "uri",
	protocol.MethodTasksGet:      "taskId",
	protocol.MethodTasksCancel:   "taskId",
	methodTasksUpdate:            "taskId",
}

// checkHeaders compares the headers that proxies route by with the body. A notification needs none, by the section
// "Sending Messages" of the transport in the protocol.
func checkHeaders(r *http.Request, e *session.Envelope, srv *server.Server) *wire.Error {
	method := r.Header[web.MethodHeader]
	if len(method) == 0 && e.Message.IsNotification() {
		return nil
	}
	if len(method) != 1 || method[0] != string(e.Message.Method) {
		return mismatch("Mcp-Method does not match the method of the body")
	}
	member, ok := namedBy[method[0]]
	if !ok {
		return nil
	}
	name, ok := stringMember(e.Message.Params, member)
	if !ok {
		return nil // the body is wrong in itself, and the answer will say so
	}
	values := r.Header[web.NameHeader]
	if len(values) != 1 {
		return mismatch("Mcp-Name is missing")
	}
	if got, ok := decodeHeader(values[0]); !ok || got != name {
		return mismatch("Mcp-Name does not match params." + member)
	}
	if method[0] == protocol.MethodToolsCall {
		return checkParams(r, e, srv.HeaderParams(name))
	}
	return nil
}

// stringMember returns the text of a member; ok is false if it is missing or not a string.
func stringMember(object []byte, member string) (text string, ok bool) {
	raw, _ := wire.Lookup(object, member)
	d := wire.NewDecoder(raw)
	text = d.String()
	return text, d.Err() == nil
}

// checkParams compares the arguments of a tool call with the headers that must repeat them.
func checkParams(r *http.Request, e *session.Envelope, params []feature.HeaderParam) *wire.Error {
	for _, p := range params {
		values := r.Header[http.CanonicalHeaderKey(web.ParamPrefix+p.Header)]
		value, given := argument(e, p.Path)
		switch {
		case len(values) > 1:
			return mismatch(web.ParamPrefix + p.Header + " is given twice")
		case !given && len(values) == 0:
		case !given:
			return mismatch(web.ParamPrefix + p.Header + " has no argument in the body")
		case len(values) == 0:
			return mismatch(web.ParamPrefix + p.Header + " is missing")
		default:
			if got, ok := decodeHeader(values[0]); !ok || !sameValue(got, value) {
				return mismatch(web.ParamPrefix + p.Header + " does not match the argument")
			}
		}
	}
	return nil
}

// argument returns the JSON of an argument of a tool call; given is false if it is absent or null.
func argument(e *session.Envelope, path []string) (value []byte, given bool) {
	value, given = wire.Lookup(e.Message.Params, append([]string{"arguments"}, path...)...)
	return value, given && wire.KindOf(value) != wire.KindNull
}

// sameValue reports whether a header has the same value as an argument in JSON. Numbers may be written differently, but
// must be exactly equal: a proxy that routes by the header must not see another number than the tool.
func sameValue(header string, value []byte) bool {
	switch wire.KindOf(value) {
	case wire.KindString:
		d := wire.NewDecoder(value)
		s := d.String()
		return d.Err() == nil && s == header
	case wire.KindNumber:
		return header == string(value) || isNumber(header) && wire.CompareNumbers(header, string(value)) == 0
	}
	return header == string(value)
}

// isNumber reports whether all of s is one JSON number.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "+-.0123456789eE") == "" && wire.Check([]byte(s), wire.Limits{}) == nil
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// decodeHeader returns the value of a header, which may be encoded in base64. It returns false if the header is
// malformed.
func decodeHeader(s string) (string, bool) {
	for i := range len(s) {
		if s[i] != '\t' && (s[i] < ' ' || s[i] > '~') {
			return "", false // clients must encode such a value
		}
	}
	text, ok := strings.CutPrefix(s, encodedPrefix)
	if !ok {
		return s, true
	}
	if text, ok = strings.CutSuffix(text, encodedSuffix); !ok {
		return s, true
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return string(b), err == nil && utf8.Valid(b)
}
