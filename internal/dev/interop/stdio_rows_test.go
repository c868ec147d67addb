package interop

import (
	"strings"
	"testing"
)

// row is one request and what may be answered; see dialog.want. Nothing in it is about stdio.
type row struct {
	on     string // letters of revisions; "" for all
	method string
	params string // members of an object
	want   string
}

const (
	itemRef  = `"ref":{"type":"ref/resource","uri":"test:///item/{name}"}`
	nameVar  = `"argument":{"name":"name","value":""}`
	openFor  = `"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}`
	metaOf   = `_meta>io.modelcontextprotocol/serverInfo>name="testserver"`
	cachable = ` resultType="complete" cacheScope="private" ttlMs=0 ` + metaOf
	complete = ` resultType="complete" ` + metaOf
	bare     = ` !resultType !cacheScope !ttlMs !_meta`
)

// Methods that a revision has not got, or that the server has no capability for.
var methodRows = []row{
	{handshakes, "ping", ``, "result" + bare},
	{"E", "ping", ``, "-32601"},
	{"E", "initialize", openFor, "-32601"},
	{"E", "resources/subscribe", `"uri":"test:///text"`, "-32601"},
	{"E", "resources/unsubscribe", `"uri":"test:///text"`, "-32601"},
	{"E", "logging/setLevel", `"level":"info"`, "-32601"},
	{"E", "tasks/get", `"taskId":"a"`, "-32601"},
	{handshakes, "initialize", openFor, "-32600"}, // there is a session already
	{handshakes, "server/discover", ``, "-32601"},
	{handshakes, "subscriptions/listen", `"notifications":{}`, "-32601"},
	{handshakes, "logging/setLevel", `"level":"info"`, "-32601"},
	{handshakes, "tasks/list", ``, "-32601"},
	{"", "prompts/list", ``, "-32601"},
	{"", "prompts/get", `"name":"a"`, "-32601"},
	{"", "no/such", ``, "-32601"},
	{"", "", ``, "-32601"},
	{"", "Tools/List", ``, "-32601"},
	{"", "tools/list ", ``, "-32601"},
	{"", "roots/list", ``, "-32601"},                // the client's to answer
	{"", "notifications/cancelled", ``, "-32601"},   // a notification has no id
	{"", "notifications/initialized", ``, "-32601"}, // the same
	{"E", "server/discover", ``, `result supportedVersions>0="2026-07-28" capabilities>resources>subscribe=true capabilities>completions` + cachable},
}

var resourceRows = []row{
	{handshakes, "resources/read", `"uri":"test:///text"`, `result contents>0>text="Grüße\u2028\u0000\"\\\n" contents>0>uri="test:///text" !contents>1` + bare},
	{"E", "resources/read", `"uri":"test:///text"`, `result contents>0>text="Grüße\u2028\u0000\"\\\n"` + cachable},
	{"", "resources/read", `"uri":"test:///blob"`, `result contents>0>blob="AAH+/wo=" !contents>0>text`},
	{"", "resources/read", `"uri":"test:///many"`, `result contents>0>text="a" contents>1>blob="Yg==" contents>1>uri="test:///many/b"`},
	{"", "resources/read", `"uri":"test:///empty"`, `result contents=[]`},
	{"", "resources/read", `"uri":"test:///item/a%20b"`, `result contents>0>uri="test:///item/a%20b"`},
	// Not found, for whatever reason, and the URI as it was sent.
	{handshakes, "resources/read", `"uri":"test:///nope"`, `-32002 data>uri="test:///nope"`},
	{"E", "resources/read", `"uri":"test:///nope"`, `-32602 data>uri="test:///nope"`},
	{handshakes, "resources/read", `"uri":"test:///gone"`, `-32002 data>uri="test:///gone"`},
	{"E", "resources/read", `"uri":"test:///gone"`, `-32602 data>uri="test:///gone"`},
	{handshakes, "resources/read", `"uri":"other:///text"`, `-32002 data>uri="other:///text"`},
	{handshakes, "resources/read", `"uri":"test:///item/a/b"`, `-32002 data>uri="test:///item/a/b"`},
	{handshakes, "resources/read", `"uri":"test:///text/"`, `-32002`},
	// What is no URI may be called that or not found.
	{"", "resources/read", `"uri":""`, `-32602 data>uri="" | -32002 data>uri=""`},
	{"", "resources/read", `"uri":"text"`, `-32602 | -32002`},
	{"", "resources/read", `"uri":"://"`, `-32602 | -32002`},
	{"", "resources/read", `"uri":"http://["`, `-32602 | -32002`},
	{"", "resources/read", `"uri":"test:///item/%zz"`, `-32602 data>uri | -32002 data>uri`},
	{"", "resources/read", `"uri":"test:///item/%ff"`, `-32602 data>uri`},
	{"", "resources/read", `"uri":"test:///item/%00"`, `-32602 data>uri`},
	{"", "resources/read", `"uri":"test:///item/..%2f..%2fetc"`, `-32602 data>uri`},
	{"", "resources/read", `"uri":"test:///item/.."`, `-32602 data>uri | -32002 data>uri`},
	{"", "resources/read", `"uri":"\u0000"`, `-32602 | -32002`},
	// Params that do not fit.
	{"", "resources/read", ``, `-32602`},
	{"", "resources/read", `"uri":7`, `-32602`},
	{"", "resources/read", `"uri":null`, `-32602`},
	{"", "resources/read", `"URI":"test:///text"`, `-32602`},
	// Failures keep their text.
	{"", "resources/read", `"uri":"test:///fails"`, `-32603 data>uri="test:///fails"`},
	{"", "resources/read", `"uri":"test:///panics"`, `-32603`},
	{"", "resources/read", `"uri":"test:///public"`, `-32603 message="for-everybody"`},
}

var listRows = []row{
	{handshakes, "resources/list", ``, `result resources>3 !resources>4 nextCursor` + bare},
	{"E", "resources/list", ``, `result resources>3 !resources>4 nextCursor` + cachable},
	{handshakes, "tools/list", ``, `result tools>3>name="gate" !tools>4 nextCursor` + bare},
	{"E", "tools/list", ``, `result tools>3>name="gate" !tools>4 nextCursor` + cachable},
	{handshakes, "resources/templates/list", ``, `result resourceTemplates>1 !nextCursor` + bare},
	{"E", "resources/templates/list", ``, `result resourceTemplates>1 !nextCursor` + cachable},
	{"", "resources/list", `"cursor":"forged"`, `-32602`},
	{"", "resources/list", `"cursor":"AXDF2_4Y8yktenon358DkfvQrZrsD8Jvk1w4ShYfMfd34Q"`, `-32602`}, // of another process
	{"", "resources/list", `"cursor":"====="`, `-32602`},
	{"", "resources/list", `"cursor":7`, `-32602`},
	{"", "tools/list", `"cursor":"forged"`, `-32602`},
	{"", "resources/templates/list", `"cursor":"forged"`, `-32602`},
	// This server never makes the empty cursor: it may be the first page or no cursor of the list.
	{"", "resources/list", `"cursor":""`, `result resources>3 nextCursor | -32602`},
	{"", "tools/list", `"cursor":""`, `result tools>3 nextCursor | -32602`},
}

var completionRows = []row{
	{handshakes, "completion/complete", itemRef + `,` + nameVar, `result completion>values>99="v099" !completion>values>100 completion>hasMore=true completion>total=150` + bare},
	{"E", "completion/complete", itemRef + `,` + nameVar, `result completion>values>99="v099" !completion>values>100 completion>hasMore=true completion>total=150 !ttlMs` + complete},
	{"", "completion/complete", itemRef + `,"argument":{"name":"name","value":"v14"}`, `result completion>values>9="v149" !completion>values>10 completion>hasMore=false`},
	{"CDE", "completion/complete", itemRef + `,"argument":{"name":"name","value":"v149"},"context":{"arguments":{"suffix":"-x"}}`, `result completion>values=["v149-x"]`},
	{"", "completion/complete", itemRef + `,"argument":{"name":"name","value":"zzz"}`, `result completion>values=[]`},
	{"", "completion/complete", `"ref":{"type":"ref/resource","uri":"test:///watched/{name}"},` + nameVar, `result completion>values=[]`},
	{"", "completion/complete", itemRef + `,"argument":{"name":"other","value":""}`, `-32602`},
	{"", "completion/complete", `"ref":{"type":"ref/resource","uri":"test:///no/{name}"},` + nameVar, `-32602`},
	{"", "completion/complete", `"ref":{"type":"ref/prompt","name":"none"},` + nameVar, `-32602`},
	{"", "completion/complete", `"ref":{"type":"ref/other","name":"none"},` + nameVar, `-32602`},
	{"", "completion/complete", `"ref":{"uri":"test:///item/{name}"},` + nameVar, `-32602`},
	{"", "completion/complete", itemRef, `-32602`},
	{"", "completion/complete", nameVar, `-32602`},
	{"", "completion/complete", itemRef + `,"argument":{"name":"name"}`, `-32602`},
	{"", "completion/complete", itemRef + `,"argument":{"name":"name","value":7}`, `-32602`},
}

var toolRows = []row{
	{handshakes, "tools/call", `"name":"echo","arguments":{"text":"a\u0000\ud83d\ude00"}`,
		`result content>0>text="a\u0000😀" !isError` + bare},
	{"E", "tools/call", `"name":"echo","arguments":{"text":"a"}`, `result content>0>text="a" !ttlMs` + complete},
	{"", "tools/call", `"name":"echo"`, `result content>0>text=""`},
	{"", "tools/call", `"name":"none"`, `-32602`},
	{"", "tools/call", `"name":"Echo"`, `-32602`},
	{"", "tools/call", ``, `-32602`},
	{"", "tools/call", `"name":7`, `-32602`},
	{"", "tools/call", `"name":"echo","arguments":[]`, `-32602`},
	{"", "tools/call", `"name":"echo","arguments":"a"`, `-32602`},
	{"", "tools/call", `"name":"fail"`, `result isError=true content>0>type="text"`},
	{"", "tools/call", `"name":"public"`, `result isError=true content>0>text="for-everybody"`},
	{"", "tools/call", `"name":"panic"`, `-32603`},
	{"", "tools/call", `"name":"goexit"`, `-32603`},
	{"", "tools/call", `"name":"print"`, `result content>0>text="printed"`},
}

var subscribeRows = []row{
	{handshakes, "resources/subscribe", `"uri":"test:///text"`, `result !subscriptionId`},
	{handshakes, "resources/subscribe", `"uri":"test:///text"`, `result`}, // again
	{handshakes, "resources/subscribe", `"uri":"test:///watched/a"`, `result`},
	{handshakes, "resources/subscribe", `"uri":"test:///nope"`, `-32002 data>uri="test:///nope"`},
	{handshakes, "resources/subscribe", `"uri":"test:///bare"`, `-32602`},
	{handshakes, "resources/subscribe", `"uri":"test:///item/..%2fa"`, `-32602 data>uri`},
	{handshakes, "resources/subscribe", `"uri":"test:///watched/refused"`, `-32603`},
	{handshakes, "resources/subscribe", `"uri":"test:///watched/panics"`, `-32603`},
	{handshakes, "resources/subscribe", ``, `-32602`},
	{handshakes, "resources/unsubscribe", `"uri":"test:///text"`, `result`},
	{handshakes, "resources/unsubscribe", `"uri":"test:///text"`, `result`}, // not subscribed any more
	{handshakes, "resources/unsubscribe", ``, `-32602`},
}

// TestStdioRows asks each row in each of its revisions.
func TestStdioRows(t *testing.T) {
	t.Attr("requirements", "msg-notification-id code-retired result-type meta-server-info ping-answer "+
		"ping-removed completion-errors res-read res-not-found res-empty cache-hints "+
		"version-discover-info removed-methods")
	tables := map[string][]row{
		"methods": methodRows, "resources": resourceRows, "lists": listRows,
		"completion": completionRows, "tools": toolRows, "subscribe": subscribeRows,
	}
	for _, letter := range allRevisions {
		for name, rows := range tables {
			t.Run(revisions[letter]+"/"+name, func(t *testing.T) {
				d := start(t, letter)
				for _, r := range rows {
					d.ask(r)
				}
				if rest := d.end(); len(rest) > 0 {
					t.Errorf("unasked: %q", rest)
				}
			})
		}
	}
}

// ask sends the request of a row and compares the answer, if the row is for the revision of d.
func (d *dialog) ask(r row) {
	d.t.Helper()
	if r.on != "" && !strings.ContainsRune(r.on, d.rev) {
		return
	}
	id := d.newID()
	d.say(d.request(id, r.method, r.params))
	d.want(d.next(), r.want, id)
}
