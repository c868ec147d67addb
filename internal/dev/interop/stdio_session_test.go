package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// batches are the lines of a session that has batches, and what follows each: the answers in any order, see
// dialog.want, or nothing.
var batches = []struct {
	name, line string
	want       []string
}{
	{"notifications", `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"notifications/cancelled"}]`, nil},
	{"answers", `[{"jsonrpc":"2.0","id":9,"result":{}},{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"a"}}]`, nil},
	{"one request", `[{"jsonrpc":"2.0","id":"a","method":"ping"}]`, []string{`result id="a"`}},
	{"something of all", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"a"},7,{"jsonrpc":"2.0","id":"1","method":"no/such"},` +
		`{"jsonrpc":"2.0","id":9,"result":{}},{},[],{"jsonrpc":"2.0","id":3,"Method":"ping"},{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"test:///nope"}}]`,
		[]string{`result id=1`, `-32600 id=null`, `-32601 id="1"`, `-32600 id=null`, `-32600 id=null`, `-32600 id=3`,
			`-32002 id=4`}},
	{"slow and quick", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stubborn","arguments":{"ms":30}}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
		[]string{`result id=1`, `result id=2`}},
	{"failures", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"goexit"}},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
		[]string{`-32603 id=1`, `-32603 id=2`, `result id=3`}},
	{"initialize", `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + openFor + `}}]`, []string{`-32600 id=1`}},
	{"modern", `[{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + claim + `}}]`, []string{`-32600 !result id=1`}},
	{"cancelled inside", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
		[]string{`result id=2`}},
	{"all cancelled", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`, nil},
	{"subscribe", `[{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test:///text"}},{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"test:///text"}}]`,
		[]string{`result id=1`, `result id=2`}},
}

// TestStdioBatch: a batch is answered by one array with an answer for each request, or not at all.
func TestStdioBatch(t *testing.T) {
	t.Attr("requirements", "msg-batch-receive http-batch-stream")
	d := start(t, 'B')
	for _, b := range batches {
		t.Run(b.name, func(t *testing.T) {
			d.t = t
			d.say(b.line)
			if b.want == nil {
				d.silent("a batch without requests")
				return
			}
			line := d.next()
			if !strings.HasPrefix(line, "[") {
				t.Errorf("answered with no array: %s", line)
			}
			got := elements(line)
			if len(got) != len(b.want) {
				t.Fatalf("answered with %d messages %q, want %d", len(got), got, len(b.want))
			}
			for _, want := range b.want {
				i := slices.IndexFunc(got, func(m string) bool { return fits(m, strings.Fields(want)) })
				if i < 0 {
					t.Fatalf("none of %q is %s", got, want)
				}
				got = slices.Delete(got, i, i+1)
			}
		})
	}
	d.t = t
	// What is no batch is not answered by an array.
	for line, want := range map[string]string{
		`[]`: "-32600 id=null", `[{"jsonrpc":"2.0","id":1,"method":"ping"},]`: "-32700 id=null",
		`[{"jsonrpc":"2.0","id":1,"method":"ping","id":2}]`: "-32700 id=null",
		"[" + strings.Repeat("1,", 5000) + "1]":             "-32600 id=null",
	} {
		d.say(line)
		d.want(d.next(), want, "")
	}
	d.end()
}

// TestStdioNoBatch: the other revisions have none.
func TestStdioNoBatch(t *testing.T) {
	t.Attr("requirements", "msg-batch-receive http-single")
	for _, letter := range "ACDE" {
		d := start(t, letter)
		for _, line := range []string{
			`[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[{"jsonrpc":"2.0","method":"a"}]`,
			`[` + d.request("1", "tools/list", "") + `]`,
		} {
			d.say(line)
			d.want(d.next(), "-32600 "+d.unread(), "")
		}
		d.end()
	}
}

// TestStdioSubscribe: updates come from the answer to subscribe until the answer to unsubscribe, one for each URI, and
// neither updates nor changes of lists before notifications/initialized.
func TestStdioSubscribe(t *testing.T) {
	t.Attr("requirements", "subscribe-answer subscribe-told subscribe-only")
	for _, letter := range handshakes {
		t.Run(revisions[letter], func(t *testing.T) {
			d := startBare(t, letter)
			d.say(initialize("1", revisions[letter]))
			d.next()
			d.do("churn", "")
			d.silent("a change before initialized")
			d.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			d.do("touch", "test:///text")
			d.silent("a change that nobody subscribed to")
			for range 2 {
				d.ask(row{"", "resources/subscribe", `"uri":"test:///text"`, "result"})
			}
			d.do("touch", "test:///text")
			d.updated("test:///text", "")
			d.do("touch", "test:///blob")
			d.silent("a change of something else")
			d.do("churn", "")
			if line := d.next(); !strings.Contains(line, `"notifications/resources/list_changed"`) ||
				strings.Contains(line, "subscriptionId") {
				t.Errorf("a changed list is told by %s", line)
			}
			d.ask(row{"", "resources/unsubscribe", `"uri":"test:///text"`, "result"})
			d.do("touch", "test:///text")
			d.silent("a change after unsubscribe")
			d.ask(row{"", "resources/subscribe", `"uri":"test:///item/a%20b"`, "result"})
			d.do("touch", "test:///item/a%20b")
			d.updated("test:///item/a%20b", "")
			d.end()
		})
	}
}

// do calls a tool with a text and waits for its result.
func (d *dialog) do(tool, text string) {
	d.t.Helper()
	id := d.newID()
	d.say(d.call(id, tool, text))
	d.want(d.next(), "result", id)
}

// updated reads the notification that a resource was updated, for the listen with this id.
func (d *dialog) updated(uri, listen string) {
	d.t.Helper()
	line := d.next()
	m := parts(line)
	got, _ := member(m["params"], "uri")
	meta, _ := member(m["params"], "_meta")
	tag, _ := member(meta, "io.modelcontextprotocol/subscriptionId")
	if string(m["method"]) != `"notifications/resources/updated"` || string(got) != fmt.Sprintf("%q", uri) ||
		string(tag) != listen {
		d.t.Errorf("got %s, want an update of %s for listen %s", line, uri, listen)
	}
}

// TestStdioStuckSubscribe: a subscription whose watcher does not come up holds up nothing, and can be cancelled.
func TestStdioStuckSubscribe(t *testing.T) {
	for _, letter := range handshakes {
		d := start(t, letter)
		d.say(d.request(`"s"`, "resources/subscribe", `"uri":"test:///watched/stuck"`))
		d.silent("a subscription whose watcher is stuck")
		d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
		d.do("touch", "test:///watched/stuck")
		d.silent("a cancelled subscription")
		d.say(d.request(`"s"`, "tools/list", ""))
		d.want(d.next(), "result", `"s"`)
		d.end()
	}
}

// TestStdioCancel: a cancelled request is not answered, its handler is told, and its id is free again.
func TestStdioCancel(t *testing.T) {
	t.Attr("requirements", "cancel-stop")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := start(t, letter)
			for i, id := range []string{`1`, `"1"`, `"a\u0062"`} {
				d.say(d.call(id, "wait", ""))
				d.silent("a request that is being handled")
				other := map[string]string{`1`: `"1"`, `"1"`: `1`, `"a\u0062"`: `"a"`}[id]
				d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + other + `}}`)
				d.silent("the end of another request")
				d.stats(fmt.Sprintf("started=%d ended=%d", i+1, i))
				spelled := strings.Replace(id, `a\u0062`, `ab`, 1) // the same string
				d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + spelled + `,"reason":"r"}}`)
				d.stats(fmt.Sprintf("started=%d ended=%d", i+1, i+1))
				d.silent("a cancelled request")
				d.say(d.call(id, "echo", "again"))
				d.want(d.next(), `result content>0>text="again"`, id)
			}
			// Too late, twice, and before the request.
			d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			d.say(d.call("1", "echo", "a"))
			d.want(d.next(), `result`, "1")
			d.end()
		})
	}
}

// stats waits until the handler of wait was started and has ended this often.
func (d *dialog) stats(want string) {
	d.t.Helper()
	line := ""
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(time.Millisecond) {
		id := d.newID()
		d.say(d.call(id, "stats", ""))
		if line = d.next(); strings.Contains(line, want) {
			return
		}
	}
	d.t.Fatalf("got %s, want %s", line, want)
}

// TestStdioDuplicateID: of two requests with one id at a time the second is refused and the first unharmed.
func TestStdioDuplicateID(t *testing.T) {
	t.Attr("requirements", "msg-id-unique")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := start(t, letter)
			first := d.call("1", "gate", "")
			d.say(first)
			d.silent("a slow request")
			read := d.request("1", "resources/read", `"uri":"test:///text"`)
			for _, second := range []string{d.call("1", "echo", "second"), read} {
				d.say(second)
				d.want(d.next(), "-32600", "1")
			}
			d.say(d.call(`"1"`, "echo", "another id"))
			d.want(d.next(), "result", `"1"`)
			if d.validator != nil {
				d.validator.FromClient([]byte(first)) // the validator takes the refusals for its answer
			}
			d.say(d.call("2", "open", ""))
			for range 2 {
				d.want(d.next(), `result content>0>text="passed" id=1 | result content>0>text="opened" id=2`, "")
			}
			d.end()
		})
	}
}
