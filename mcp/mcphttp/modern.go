package mcphttp

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/eventlog"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/limits"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// methodListen is the request whose answer is a stream.
const methodListen = protocol.MethodSubscriptionsListen

// methodTasksUpdate is a method of the extension io.modelcontextprotocol/tasks, whose package only servers with tasks
// are linked with.
const methodTasksUpdate = "tasks/update"

// modern handles a request that stands alone, or a notification of an extension. The order of the checks is part of
// the protocol: clients tell by the first that fails what kind of server this is. It is false if the client has left
// before anything was sent. The body b, of which e is made, is empty afterwards if the request had a stream.
func (h *handler) modern(w http.ResponseWriter, r *http.Request, e *server.Envelope, b *limits.Body, who mcp.Caller,
	u *limits.Usage,
) (answered bool) {
	fault := e.Fault
	for _, check := range []func() *wire.Error{
		e.MetaFault,
		func() *wire.Error { return checkVersion(r, e) },
		e.VersionFault,
		func() *wire.Error { return h.checkHeaders(r, e) },
	} {
		if fault == nil {
			fault = check()
		}
	}
	if fault != nil {
		web.AnswerError(w, http.StatusBadRequest, e, fault, h.counts)
		return true
	}
	p := &port{Request: limits.NewRequest(h.admit, u), w: w, modern: true, opts: &h.opts,
		opener: h.opener, id: e.Message.ID}
	defer p.close()
	if p.listens = string(e.Message.Method) == methodListen; p.listens {
		if fenced, _ := server.Fenced(h.srv); fenced {
			web.Refuse(w, eventlog.CutOff)
			return true
		}
		if !h.admit.Take(u, limits.Streams, 1) {
			web.Refuse(w, h.admit.TooMany(limits.Streams))
			return true
		}
		defer h.admit.Give(u, limits.Streams, 1)
		p.body = b.HandOver() // the server says when nothing uses it any more
		defer p.ReleaseRequest()
		h.admit.Give(u, limits.Requests, 1) // it counts as a stream
		defer h.admit.Retake(u, limits.Requests, 1)
	}
	h.srv.Exchange(r.Context(), e, server.Caller(who), p)
	if e.Message.IsNotification() && !p.answered && p.stream == nil {
		w.WriteHeader(http.StatusAccepted)
	}
	return p.answered || p.stream != nil || r.Context().Err() == nil
}

// mismatch returns the error about headers that do not say what the body says.
func mismatch(text string) *wire.Error {
	return wire.NewError(protocol.CodeHeaderMismatch, "header mismatch: "+text)
}

// checkVersion compares the version in the headers with that in the body.
func checkVersion(r *http.Request, e *server.Envelope) *wire.Error {
	declared, _ := e.DeclaredVersion()
	switch values := r.Header[web.VersionHeader]; {
	case len(values) == 0:
		return mismatch("MCP-Protocol-Version is missing")
	case len(values) > 1 || values[0] != declared:
		return mismatch("MCP-Protocol-Version does not match the _meta of the body")
	}
	return nil
}

// namedBy is where the body of a request has what its Mcp-Name header repeats.
var namedBy = map[string]string{
	protocol.MethodToolsCall:     "name",
	protocol.MethodPromptsGet:    "name",
	protocol.MethodResourcesRead: "uri",
	protocol.MethodTasksGet:      "taskId",
	protocol.MethodTasksCancel:   "taskId",
	methodTasksUpdate:            "taskId",
}

// checkHeaders compares the headers that proxies route by with the body. Notifications need none (streamable-http,
// sending messages).
func (h *handler) checkHeaders(r *http.Request, e *server.Envelope) *wire.Error {
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
		return h.checkParams(r, e, name)
	}
	return nil
}

// stringMember returns the text of a member.
func stringMember(object []byte, member string) (text string, ok bool) {
	raw, _ := wire.Lookup(object, member)
	d := wire.NewDecoder(raw)
	text = d.String()
	return text, d.Err() == nil
}

// checkParams compares the arguments that a tool wants in headers too.
func (h *handler) checkParams(r *http.Request, e *server.Envelope, tool string) *wire.Error {
	for _, p := range h.srv.HeaderParams(tool) {
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
func argument(e *server.Envelope, path []string) (value []byte, given bool) {
	value, given = wire.Lookup(e.Message.Params, append([]string{"arguments"}, path...)...)
	return value, given && wire.KindOf(value) != wire.KindNull
}

// sameValue reports whether a header says what an argument, as JSON, says. Numbers are equal however they are
// written, but only if they are exactly equal: what routes by the header must not see another number than the tool.
func sameValue(header string, value []byte) bool {
	switch wire.KindOf(value) {
	case wire.KindString:
		d := wire.NewDecoder(value)
		s := d.String()
		return d.Err() == nil && s == header
	case wire.KindNumber:
		return header == string(value) || isNumber(header) && sameNumber(header, string(value))
	}
	return header == string(value)
}

// isNumber reports whether all of s is one JSON number.
func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "+-.0123456789eE") == "" && wire.Check([]byte(s), wire.Limits{}) == nil
}

// sameNumber compares two JSON numbers without rounding them.
func sameNumber(a, b string) bool {
	x, ok := decimalOf(a)
	y, also := decimalOf(b)
	return ok && also && x == y
}

// decimal is a number: the digits, which begin and end with another digit than 0, times a power of ten. Zero has no
// digits, no power and no sign.
type decimal struct {
	negative bool
	digits   string
	power    int
}

// decimalOf reads a JSON number. It is false if the exponent is absurd.
func decimalOf(s string) (d decimal, ok bool) {
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa := s
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		var err error
		if d.power, err = strconv.Atoi(s[i+1:]); err != nil {
			return d, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	d.power += len(digits) - len(d.digits) - len(fraction)
	return d, true
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// decodeHeader returns the value of a header that may be encoded. It is false if the encoding is broken.
func decodeHeader(s string) (string, bool) {
	for i := range len(s) {
		if s[i] != '\t' && (s[i] < ' ' || s[i] > '~') {
			return "", false // clients must encode it
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
