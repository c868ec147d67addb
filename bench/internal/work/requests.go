package work

import "strings"

// Era says how the requests of a client look.
type Era int

// The two eras, each in its newest revision.
const (
	Legacy Era = iota // 2025-11-25, after a handshake
	Modern            // 2026-07-28, each request for itself
)

// String returns the revision.
func (e Era) String() string {
	if e == Modern {
		return "2026-07-28"
	}
	return "2025-11-25"
}

// Handshake are the messages that open a session, and how many of them are answered.
var Handshake = []string{
	`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
}

const (
	metaEnd = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	// meta has a token of seven digits, which differs from request to request: see Message.
	meta     = `"_meta":{"progressToken":1000000,` + metaEnd
	sameMeta = `"_meta":{` + metaEnd
)

// Op is one kind of request.
type Op struct {
	// Name is that of the row.
	Name string
	// Era is that of the request.
	Era Era
	// Server tells which of the servers answers it.
	Server Kind
	// Request is the message, without a newline.
	Request string
	// Want stands in every right answer.
	Want string
}

// Kind is one of the servers that each library is asked to be.
type Kind int

// The servers.
const (
	Small     Kind = iota // a few features of each sort
	Listed                // a thousand entries; ours asks for them each time
	Literal               // a thousand entries; ours has them in its declarations
	Templates             // a thousand templates
)

// Traced returns the rows of module otel: calls that come with a trace.
func Traced() (list []Op) {
	const trace = `"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	for _, o := range []Op{op("typed tool", Legacy, Small, "tools/call", search, `"structuredContent":{"`),
		op("typed tool", Modern, Small, "tools/call", search, `"structuredContent":{"`)} {
		if o.Era == Modern {
			o.Request = strings.Replace(o.Request, `"_meta":{`, trace+",", 1)
		} else {
			o.Request = strings.TrimSuffix(o.Request, "}}") + "," + trace + "}}}"
		}
		list = append(list, o)
	}
	return list
}

// Ops returns all rows, in the order of the table.
func Ops() []Op {
	return []Op{
		op("ping", Legacy, Small, "ping", "", `"result":{`),
		op("discover", Modern, Small, "server/discover", "", `"supportedVersions"`),
		op("text 1 KiB", Legacy, Small, "resources/read", `"uri":"bench:///text"`, `of many lines`),
		op("text 1 KiB", Modern, Small, "resources/read", `"uri":"bench:///text"`, `of many lines`),
		op("blob 64 KiB dynamic", Legacy, Small, "resources/read", `"uri":"bench:///blob"`, `"blob":"`),
		op("blob 64 KiB immutable", Legacy, Small, "resources/read", `"uri":"bench:///fixed"`, `"blob":"`),
		op("template, 1", Legacy, Small, "resources/read", `"uri":"item:///one/text"`, `"text":"`),
		op("template among 1000", Legacy, Templates, "resources/read", `"uri":"many:///t700/one/text"`, `"text":"`),
		op("list of 1000 dynamic", Legacy, Listed, "resources/list", "", ID(Many-1)),
		op("list of 1000 immutable", Legacy, Literal, "resources/list", "", ID(Many-1)),
		op("typed tool", Legacy, Small, "tools/call", search, `"structuredContent":{"`),
		op("typed tool", Modern, Small, "tools/call", search, `"structuredContent":{"`),
		same(op("text 1 KiB", Modern, Small, "resources/read", `"uri":"bench:///text"`, `of many lines`)),
		same(op("typed tool", Modern, Small, "tools/call", search, `"structuredContent":{"`)),
	}
}

const sameSuffix = ", same _meta"

// plainName is the name of an operation without what same adds.
func plainName(name string) string { return strings.TrimSuffix(name, sameSuffix) }

// same returns the operation with a _meta that is the same in every request.
func same(o Op) Op {
	o.Name += sameSuffix
	o.Request = strings.Replace(o.Request, meta, sameMeta, 1)
	return o
}

const search = `"name":"search","arguments":{"query":"stand","limit":3,"kinds":["note","task"]}`

func op(name string, era Era, kind Kind, method, params, want string) Op {
	if era == Modern {
		if params != "" {
			params += ","
		}
		params += meta
	}
	text := `{"jsonrpc":"2.0","id":7,"method":"` + method + `"`
	if params != "" {
		text += `,"params":{` + params + `}`
	}
	return Op{Name: name, Era: era, Server: kind, Request: text + "}", Want: want}
}
