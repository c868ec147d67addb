package interop

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// listen opens a listen and returns the members of its acknowledgement, which must come first.
func (d *dialog) listen(id, filter string) string {
	d.t.Helper()
	d.say(d.request(id, "subscriptions/listen", `"notifications":`+filter))
	line := d.next()
	m := parts(line)
	meta, _ := member(m["params"], "_meta")
	tag, _ := member(meta, "io.modelcontextprotocol/subscriptionId")
	if string(m["method"]) != `"notifications/subscriptions/acknowledged"` || string(tag) != id {
		d.t.Fatalf("listen %s is answered by %s", id, line)
	}
	honoured, _ := member(m["params"], "notifications")
	return string(honoured)
}

func (d *dialog) cancel(id string) {
	d.t.Helper()
	d.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

// changed reads the notification that the list of resources changed, for the listen with this id.
func (d *dialog) changed(listen string) {
	d.t.Helper()
	line := d.next()
	want := `{"_meta":{"io.modelcontextprotocol/subscriptionId":` + listen + `}}`
	if m := parts(line); string(m["method"]) != `"notifications/resources/list_changed"` || string(m["params"]) != want {
		d.t.Errorf("got %s, want a change for listen %s", line, listen)
	}
}

// TestStdioListenFilter: what a listen is granted of what it asks for.
func TestStdioListenFilter(t *testing.T) {
	t.Attr("requirements", "listen-requested listen-unsupported")
	d := start(t, 'E')
	for i, x := range []struct{ asked, honoured string }{
		{`{}`, `{}`},
		{`{"resourcesListChanged":true}`, `{"resourcesListChanged":true}`},
		{`{"resourcesListChanged":false}`, `{}`},
		{`{"toolsListChanged":true,"promptsListChanged":true}`, `{}`},
		{`{"unknown":true,"resourcesListChanged":true}`, `{"resourcesListChanged":true}`},
		{`{"resourceSubscriptions":["test:///text"]}`, `{"resourceSubscriptions":["test:///text"]}`},
		{`{"resourceSubscriptions":["test:///text","test:///text"]}`, `{"resourceSubscriptions":["test:///text"]}`},
		{`{"resourceSubscriptions":["test:///text","test:///nope","test:///bare","test:///watched/refused","test:///watched/panics","test:///item/..%2f"]}`,
			`{"resourceSubscriptions":["test:///text"]}`},
	} {
		if got := d.listen(fmt.Sprint(i), x.asked); got != x.honoured {
			t.Errorf("%s is granted as %s, want %s", x.asked, got, x.honoured)
		}
		d.cancel(fmt.Sprint(i))
	}
	d.silent("cancelled listens")
	for _, filter := range []string{
		`null`, `[]`, `true`, `{"toolsListChanged":1}`, `{"resourceSubscriptions":"a"}`, `{"resourceSubscriptions":[7]}`,
		`{"resourceSubscriptions":null}`,
	} {
		d.say(d.request("1", "subscriptions/listen", `"notifications":`+filter))
		d.want(d.next(), "-32602", "1")
	}
	d.say(d.request("1", "subscriptions/listen", ""))
	d.want(d.next(), "-32602", "1")
	d.do("churn", "")
	d.silent("a change without listens")
	d.end()
}

// TestStdioListens: several listens at once each hear of what they asked for, under their own id, until they are
// cancelled; 1 and "1" are two ids.
func TestStdioListens(t *testing.T) {
	t.Attr("requirements", "meta-subscription")
	d := start(t, 'E')
	d.listen(`1`, `{"resourceSubscriptions":["test:///text"],"resourcesListChanged":true}`)
	d.listen(`"1"`, `{"resourceSubscriptions":["test:///blob","test:///text"]}`)
	d.listen(`"\u0032"`, `{"resourceSubscriptions":["test:///watched/a"]}`)
	d.do("touch", "test:///blob")
	d.updated("test:///blob", `"1"`)
	d.do("touch", "test:///watched/a")
	d.updated("test:///watched/a", `"\u0032"`)
	d.do("churn", "")
	d.changed("1")
	d.do("touch", "test:///text")
	d.updatedFor("test:///text", `1`, `"1"`)
	// The ids are taken, in every spelling, and the refusal ends nothing.
	for _, id := range []string{`1`, `"1"`, `"\u0031"`, `"2"`} {
		d.say(d.request(id, "subscriptions/listen", `"notifications":{}`))
		d.want(d.next(), "-32600", id)
		d.say(d.request(id, "tools/list", ""))
		d.want(d.next(), "-32600", id)
	}
	d.do("touch", "test:///text")
	d.updatedFor("test:///text", `1`, `"1"`)
	d.cancel("1")
	d.do("touch", "test:///text")
	d.updated("test:///text", `"1"`)
	d.do("churn", "")
	d.silent("a cancelled listen")
	d.cancel(`"\u0031"`) // the same string
	d.do("touch", "test:///text")
	d.silent("a cancelled listen")
	const filter = `{"resourceSubscriptions":["test:///text"]}`
	if got := d.listen("1", filter); got != filter {
		t.Errorf("a free id is granted %s", got)
	}
	d.do("touch", "test:///text")
	d.updated("test:///text", "1")
	d.cancel("1")
	d.cancel(`"2"`)
	if rest := d.end(); len(rest) > 0 {
		t.Errorf("after all listens were cancelled: %q", rest)
	}
}

// updatedFor reads one update for each listen, in any order.
func (d *dialog) updatedFor(uri string, listens ...string) {
	d.t.Helper()
	got := ""
	for range listens {
		line := d.next()
		params := parts(line)["params"]
		meta, _ := member(params, "_meta")
		tag, _ := member(meta, "io.modelcontextprotocol/subscriptionId")
		if at, _ := member(params, "uri"); string(at) != fmt.Sprintf("%q", uri) {
			d.t.Errorf("got %s, want an update of %s", line, uri)
		}
		got += " " + string(tag)
	}
	for _, id := range listens {
		if strings.Count(got+" ", " "+id+" ") != 1 {
			d.t.Errorf("updates of %s for%s, want one for each of %q", uri, got, listens)
		}
	}
}

// TestStdioStuckListen: a listen whose watcher does not come up is not acknowledged, tells nothing, holds up nothing
// and can be cancelled.
func TestStdioStuckListen(t *testing.T) {
	t.Attr("requirements", "listen-acknowledged")
	d := start(t, 'E')
	d.say(d.request("1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["test:///watched/stuck","test:///text"]}`))
	d.do("touch", "test:///text")
	d.silent("a listen that is not acknowledged")
	d.cancel("1")
	d.do("touch", "test:///text")
	d.silent("a cancelled listen")
	d.end()
}

// TestStdioListenTeardown: when the server ends, every listen gets its result and then notifications/cancelled.
func TestStdioListenTeardown(t *testing.T) {
	t.Attr("requirements", "cancel-listen")
	ends := map[string]func(*dialog) []string{"EOF": (*dialog).end}
	for name, sig := range stopSignals {
		ends[name] = func(d *dialog) []string { return d.signal(sig) }
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			d := start(t, 'E')
			ids := []string{`7`, `"7"`, `"\u0061"`, `0`}
			for _, id := range ids {
				d.listen(id, `{"resourceSubscriptions":["test:///text"]}`)
			}
			d.cancel("0")
			d.silent("a cancelled listen")
			rest := end(d)
			if len(rest) != 6 {
				t.Fatalf("three listens end with %q", rest)
			}
			all := strings.Join(rest, "\n") + "\n"
			for _, id := range ids[:3] {
				result := strings.Index(all, `{"jsonrpc":"2.0","id":`+id+`,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":`+id)
				cancelled := strings.Index(all, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`+"\n")
				if result < 0 || cancelled < result {
					t.Errorf("listen %s ends with\n%s", id, all)
				}
			}
		})
	}
}

// signal asks the server to end.
func (d *dialog) signal(sig os.Signal) []string {
	d.t.Helper()
	if err := d.cmd.Process.Signal(sig); err != nil {
		d.t.Fatal(err)
	}
	return d.exits()
}

// TestStdioLimits: beyond its limits a server refuses listens and requests, and reads on.
func TestStdioLimits(t *testing.T) {
	d := start(t, 'E', "-listens", "2", "-inflight", "3")
	d.listen("1", `{}`)
	d.listen("2", `{}`)
	d.say(d.request("3", "subscriptions/listen", `"notifications":{}`))
	d.want(d.next(), "-32603", "3")
	d.cancel("1")
	d.listen("3", `{}`)
	for i := range 3 {
		d.say(d.call(fmt.Sprint(10+i), "wait", ""))
	}
	d.say(d.call("20", "echo", ""))
	d.want(d.next(), "-32603", "20")
	d.silent("requests beyond the limit")
	d.cancel("10")
	d.stats("started=3 ended=1")
	d.cancel("11")
	d.cancel("12")
	d.stats("started=3 ended=3")
	d.do("echo", "")
	if rest := d.end(); len(rest) != 4 {
		t.Errorf("two listens end with %q", rest)
	}
}
