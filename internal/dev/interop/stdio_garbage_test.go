package interop

import (
	"strings"
	"testing"
)

// text is a line that need not be a message, and what may be answered: "silence", or see dialog.want. "unread" as the
// id stands for that of an answer to what has no readable id. ID is %ID% in the line. After each the next line is
// answered.
type text struct{ name, line, want string }

var (
	pingID = `{"jsonrpc":"2.0","id":%ID%,"method":"ping"}`
	// What is no JSON text by RFC 8259, or takes too much to read.
	unparsable = []text{
		{"half an object", `{`, "-32700 unread"},
		{"half a string", `{"jsonrpc":"2.0","id":%ID%,"method":"pi`, "-32700 unread"},
		{"half a batch", `[` + pingID, "-32700 unread"},
		{"words", `GET / HTTP/1.1`, "-32700 unread"},
		{"text behind", pingID + `x`, "-32700 unread"},
		{"a second message behind", pingID + pingID, "-32700 unread"},
		{"a comma behind", pingID + `,`, "-32700 unread"},
		{"a comma in front of the end", `{"jsonrpc":"2.0","id":%ID%,"method":"ping",}`, "-32700 unread"},
		{"a comment", pingID + ` // ping`, "-32700 unread"},
		{"single quotes", `{'jsonrpc':'2.0','id':1,'method':'ping'}`, "-32700 unread"},
		{"a byte order mark", "\ufeff" + pingID, "-32700 unread"},
		{"NUL in front", "\x00" + pingID, "-32700 unread"},
		{"NUL behind", pingID + "\x00", "-32700 unread"},
		{"NUL in a string", `{"jsonrpc":"2.0","id":%ID%,"method":"p` + "\x00" + `ing"}`, "-32700 unread"},
		{"a carriage return in a string", `{"jsonrpc":"2.0","id":%ID%,"method":"p` + "\r" + `ing"}`, "-32700 unread"},
		{"UTF-16", "{\x00\"\x00}\x00", "-32700 unread"},
		{"Latin-1", `{"jsonrpc":"2.0","id":%ID%,"method":"` + "\xe9" + `"}`, "-32700 unread"},
		{"UTF-8 too long", `{"jsonrpc":"2.0","id":%ID%,"method":"` + "\xc0\xaf" + `"}`, "-32700 unread"},
		{"UTF-8 of a surrogate", `{"jsonrpc":"2.0","id":%ID%,"method":"` + "\xed\xa0\x80" + `"}`, "-32700 unread"},
		{"half of a pair", `{"jsonrpc":"2.0","id":%ID%,"method":"\ud83d"}`, "-32700 unread"},
		{"a name twice", `{"jsonrpc":"2.0","id":%ID%,"method":"tools/list","method":"ping"}`, "-32700 unread"},
		{"a name twice, once escaped", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","\u006dethod":"ping"}`, "-32700 unread"},
		{"a name twice inside", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":{"a":{"b":1,"b":2}}}`, "-32700 unread"},
		{"a number with a zero in front", `{"jsonrpc":"2.0","id":01,"method":"ping"}`, "-32700 unread"},
		{"no number", `{"jsonrpc":"2.0","id":NaN,"method":"ping"}`, "-32700 unread"},
		{"deep arrays", strings.Repeat("[", 100_000), "-32700 unread"},
		{"deep objects", strings.Repeat(`{"a":`, 100_000), "-32700 unread"},
		{"deep params", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":{"a":` + strings.Repeat("[", 1000) +
			strings.Repeat("]", 1000) + `}}`, "-32700"},
		{"5 MiB", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":{"a":"` + strings.Repeat("x", 5<<20) + `"}}`,
			"-32700 unread"},
		{"5 MiB of nothing", strings.Repeat(" ", 5<<20), "-32700 unread"},
		{"a space", " ", "-32700 unread | silence"},
	}
	// JSON that is no message. Readers that fold names would see some of these as messages.
	noMessages = []text{
		{"null", `null`, "-32600 unread"},
		{"a number", `1`, "-32600 unread"},
		{"a string", `"ping"`, "-32600 unread"},
		{"an empty object", `{}`, "-32600 unread"},
		{"no method", `{"jsonrpc":"2.0","id":%ID%}`, "-32600"},
		{"another method", `{"jsonrpc":"2.0","id":%ID%,"Method":"ping"}`, "-32600"},
		{"two methods", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","Method":"tools/list"}`, "-32600"},
		{"two ids", `{"jsonrpc":"2.0","id":%ID%,"ID":7,"method":"ping"}`, "-32600"},
		{"params in other letters", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","param\u017f":{}}`, "-32600"},
		{"a method with NUL behind its name", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","method\u0000":"tools/list"}`, "-32600"},
		{"a method and a result", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","result":{}}`, "-32600"},
		{"a method and an error", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","error":null}`, "-32600"},
		{"no version", `{"id":%ID%,"method":"ping"}`, "-32600"},
		{"version 1", `{"jsonrpc":"1.0","id":%ID%,"method":"ping"}`, "-32600"},
		{"a number as version", `{"jsonrpc":2.0,"id":%ID%,"method":"ping"}`, "-32600"},
		{"a number as method", `{"jsonrpc":"2.0","id":%ID%,"method":7}`, "-32600"},
		{"null as method", `{"jsonrpc":"2.0","id":%ID%,"method":null}`, "-32600"},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "-32600 unread"},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "-32600 unread"},
		{"a boolean as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, "-32600 unread"},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "-32600 unread"},
		{"a string as params", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":"a"}`, "-32600 | -32602"},
		{"null as params", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":null}`, "-32600 | -32602"},
		{"an array as params", `{"jsonrpc":"2.0","id":%ID%,"method":"ping","params":[]}`, "-32600 | -32602"},
	}
	// What is to be passed over: answers to no request, and notifications of all kinds.
	unanswered = []text{
		{"nothing", "", "silence"},
		{"an empty line with CRLF", "\r", "silence"},
		{"a result", `{"jsonrpc":"2.0","id":9,"result":{}}`, "silence"},
		{"an error", `{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"a"}}`, "silence"},
		{"an error to nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a"}}`, "silence"},
		{"a result and an error", `{"jsonrpc":"2.0","id":9,"result":{},"error":{"code":1,"message":"a"}}`, "silence"},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/no/such"}`, "silence"},
		{"a request without id", `{"jsonrpc":"2.0","method":"tools/list"}`, "silence"},
		{"initialize without id", `{"jsonrpc":"2.0","method":"initialize","params":{` + openFor + `}}`, "silence"},
		{"progress of nothing", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "silence"},
		{"roots changed", `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, "silence"},
		{"cancelled without params", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, "silence"},
		{"cancelled without id", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, "silence"},
		{"cancelled null", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`, "silence"},
		{"cancelled unknown", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown"}}`, "silence"},
		{"cancelled in E", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"unknown",` + claim + `}}`, "silence"},
		{"cancelled in no revision", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}`, "silence"},
		{"cancelled initialize", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"open"}}`, "silence"},
	}
)

// TestStdioGarbage: a line that is no message gets its error, and the next line is answered.
func TestStdioGarbage(t *testing.T) {
	for _, letter := range allRevisions {
		d := start(t, letter)
		for name, texts := range map[string][]text{
			"unparsable": unparsable, "no message": noMessages, "unanswered": unanswered,
		} {
			for _, x := range texts {
				t.Run(revisions[letter]+"/"+name+"/"+x.name, func(t *testing.T) {
					d.t = t
					d.tell(x)
				})
			}
		}
		d.t = t
		if rest := d.end(); len(rest) > 0 {
			t.Errorf("unasked: %q", rest)
		}
	}
}

// unread is the id of an answer to what has no readable one. It is required up to 2025-06-18, where JSON-RPC has null,
// and must not be null later. Of a process where nothing was agreed on, nobody knows what its client takes.
func (d *dialog) unread() string {
	if d.rev == 'D' {
		return "!id"
	}
	return "id=null"
}

// tell sends a line of a table and compares what follows.
func (d *dialog) tell(x text) {
	d.t.Helper()
	id := d.newID()
	d.say(strings.ReplaceAll(x.line, "%ID%", id))
	want := strings.ReplaceAll(x.want, "unread", d.unread())
	if !strings.Contains(want, "id") && want != "silence" {
		want = strings.ReplaceAll(want+" id="+id, " | ", " id="+id+" | ")
	}
	lines := d.fence()
	switch {
	case len(lines) == 0 && strings.HasSuffix(want, "silence"):
	case len(lines) == 1 && want != "silence":
		d.want(lines[0], strings.TrimSuffix(want, " | silence"), "")
	default:
		d.t.Errorf("got %q, want %s", lines, want)
	}
}

// TestStdioLines: how lines end and where they come from is nobody's business.
func TestStdioLines(t *testing.T) {
	t.Attr("requirements", "stdio-newline")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := start(t, letter)
			ask := func(id string) string { return d.request(id, "tools/list", "") }
			for _, text := range []string{
				ask("1") + "\r\n",
				"\n\r\n" + ask("1") + "\n\n",
				"  \t" + ask("1") + " \t\n",
				strings.Replace(ask("1"), `"method"`, `"m\u0065thod"`, 1) + "\n",
				strings.Replace(ask("1"), `"tools/list"`, `"tools\/l\u0069st"`, 1) + "\n",
				strings.Replace(ask("1"), `"id"`, `"unknown":[{}],"id"`, 1) + "\n",
			} {
				d.write(text)
				d.want(d.next(), "result tools>0", "1")
			}
			// Byte by byte, with other traffic impossible meanwhile.
			for _, b := range []byte(ask("1") + "\n") {
				if _, err := d.in.Write([]byte{b}); err != nil {
					t.Fatal(err)
				}
			}
			if d.validator != nil {
				d.validator.FromClient([]byte(ask("1")))
			}
			d.want(d.next(), "result tools>0", "1")
			// The last line needs no newline.
			d.write(ask("2"))
			if rest := d.end(); len(rest) != 1 {
				t.Errorf("the last line is answered with %q", rest)
			} else {
				d.want(rest[0], "result tools>0", "2")
			}
		})
	}
}

// TestStdioIDs: an answer has the id of its request in the same spelling, whatever else is in the table of requests.
func TestStdioIDs(t *testing.T) {
	t.Attr("requirements", "msg-id msg-response-id")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := start(t, letter)
			for _, id := range []string{
				`0`, `-0`, `-1`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"1"`, `"null"`, `"\u0031"`,
				`"1\n\u2028"`, `"😀"`,
				`"` + strings.Repeat("x", 100_000) + `"`,
			} {
				d.say(d.request(id, "tools/list", ""))
				d.want(d.next(), "result tools>0", id)
				d.say(d.request(id, "no/such", ""))
				d.want(d.next(), "-32601", id)
			}
			d.end()
		})
	}
}
