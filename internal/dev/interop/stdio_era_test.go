package interop

import (
	"fmt"
	"strings"
	"testing"
)

const (
	versionKey    = "io.modelcontextprotocol/protocolVersion"
	capabilityKey = "io.modelcontextprotocol/clientCapabilities"
	clientKey     = "io.modelcontextprotocol/clientInfo"
	levelKey      = "io.modelcontextprotocol/logLevel"
)

// TestStdioNegotiation: a session goes on in the revision that the client asked for if that has a handshake, else in
// the newest that has.
func TestStdioNegotiation(t *testing.T) {
	t.Attr("requirements", "init-version init-version-latest init-errors version-era")
	for asked, got := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "2099-01-01": "2025-11-25", "": "2025-11-25",
		"latest": "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			d := startBare(t, 'D')
			d.say(initialize("1", asked))
			d.want(d.next(), fmt.Sprintf(`result protocolVersion=%q serverInfo>name="testserver" capabilities>resources>subscribe=true`, got), "1")
			d.end()
		})
	}
}

// TestStdioCapabilities: the oldest revision has no completions capability, all have the others.
func TestStdioCapabilities(t *testing.T) {
	t.Attr("requirements", "completion-capability")
	for _, letter := range handshakes {
		d := startBare(t, letter)
		d.say(initialize("1", revisions[letter]))
		want := `result capabilities>tools capabilities>resources>listChanged=true capabilities>completions !capabilities>prompts !capabilities>logging`
		if letter == 'A' {
			want = strings.Replace(want, "capabilities>completions", "!capabilities>completions", 1)
		}
		d.want(d.next(), want, "1")
		d.end()
	}
}

// TestStdioBeforeInitialize: until a session exists only initialize, ping and modern requests are answered, and an
// initialize that fails does not make one.
func TestStdioBeforeInitialize(t *testing.T) {
	t.Attr("requirements", "init-first init-server-waits")
	d := startBare(t, 'D')
	// A request without its required _meta is -32602 in 2026-07-28; the older revisions do not name a code.
	for _, method := range []string{"tools/list", "resources/subscribe", "server/discover", "no/such"} {
		d.say(d.request("1", method, `"uri":"test:///text"`))
		d.want(d.next(), "-32602", "1")
	}
	for _, params := range []string{
		``, `"protocolVersion":7`, `"protocolVersion":null`, `"protocolVersion":"2025-06-18"`,
		`"protocolVersion":"2025-06-18","capabilities":{}`, `"protocolVersion":"2025-06-18","clientInfo":{"name":"a","version":"1"}`,
		`"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":{"name":"a","version":"1"}`,
		`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a"}`,
	} {
		d.say(d.request("1", "initialize", params))
		d.want(d.next(), "-32602", "1")
	}
	d.say(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	d.want(d.next(), "-32602", "1")
	d.say(`{"jsonrpc":"2.0","method":"initialize","params":{` + openFor + `}}`)
	d.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	d.silent("a notification")
	d.say(`[` + initialize("1", "2025-03-26") + `]`)
	d.want(d.next(), "-32600", "")
	d.say(d.request("1", "tools/list", ""))
	d.want(d.next(), "-32602", "1")
	d.say(initialize("1", "2025-06-18"))
	d.want(d.next(), `result protocolVersion="2025-06-18"`, "1")
	d.say(d.request("1", "tools/list", ""))
	d.want(d.next(), "result tools>0", "1")
	d.say(initialize("1", "2024-11-05"))
	d.want(d.next(), "-32600", "1")
	d.say(d.request("1", "completion/complete", itemRef+`,"argument":{"name":"name","value":"v149"},"context":{"arguments":{"suffix":"x"}}`))
	d.want(d.next(), `result completion>values=["v149x"]`, "1") // still 2025-06-18
	d.end()
}

// TestStdioBothEras: modern requests and the legacy session of one process take no notice of each other.
func TestStdioBothEras(t *testing.T) {
	t.Attr("requirements", "state-connection")
	d := startBare(t, 'C')
	modern := func(id, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method,
			strings.TrimSuffix(claim+","+params, ","))
	}
	asks := []struct{ line, want string }{
		{modern("1", "server/discover", ""), `result supportedVersions>0="2026-07-28"` + cachable},
		{modern("1", "resources/read", `"uri":"test:///nope"`), `-32602 data>uri="test:///nope"`},
		{d.request("1", "tools/list", ""), "-32602"}, // no session has begun
		{modern("1", "initialize", openFor), "-32601"},
		{initialize("1", "2025-06-18"), `result protocolVersion="2025-06-18"`},
		{d.request("1", "tools/list", ""), "result" + bare},
		{modern("1", "tools/list", ""), "result" + cachable},
		{modern("1", "ping", ""), "-32601"},
		{d.request("1", "ping", ""), "result"},
		{modern("1", "resources/read", `"uri":"test:///nope"`), `-32602`},
		{d.request("1", "resources/read", `"uri":"test:///nope"`), `-32002`},
		{modern("1", "resources/subscribe", `"uri":"test:///text"`), "-32601"},
		{d.request("1", "subscriptions/listen", `"notifications":{}`), "-32601"},
		{modern("1", "initialize", openFor), "-32601"},
		{initialize("1", "2025-06-18"), "-32600"},
		{d.request("1", "tools/list", `"_meta":{"progressToken":1}`), "result" + bare},
		{d.request("1", "tools/list", `"_meta":{"`+capabilityKey+`":{}}`), "result" + bare}, // no claim
	}
	for _, a := range asks {
		d.say(a.line)
		d.want(d.next(), a.want, "1")
	}
	d.end()
}

// TestStdioMeta: what is missing or malformed in the _meta of a modern request.
func TestStdioMeta(t *testing.T) {
	t.Attr("requirements", "meta-required log-level-unknown version-unsupported")
	unsupported := func(requested string) string {
		return `-32022 data>supported=["2026-07-28"] data>requested=` + requested
	}
	with := func(key, value string) string {
		members := map[string]string{versionKey: `"2026-07-28"`, capabilityKey: `{}`}
		members[key] = value
		var list []string
		for name, v := range members {
			if v != "" {
				list = append(list, fmt.Sprintf("%q:%s", name, v))
			}
		}
		return strings.Join(list, ",")
	}
	d := start(t, 'C') // a session that must not be used for any of them
	for meta, want := range map[string]string{
		with("x", `1`): "result" + cachable,
		with(clientKey, `{"name":"a","version":""}`):                                     "result",
		with("traceparent", `"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"`): "result",
		with("progressToken", `"a"`):                                                     "result",
		with("progressToken", `7`):                                                       "result",
		with(levelKey, `"debug"`):                                                        "result",
		with(capabilityKey, `{"unknown":{},"extensions":{}}`):                            "result",
		with(versionKey, `"v999"`):                                                       unsupported(`"v999"`),
		with(versionKey, `"2025-11-25"`):                                                 unsupported(`"2025-11-25"`),
		with(versionKey, `"2026-07-29"`):                                                 unsupported(`"2026-07-29"`),
		with(versionKey, `""`):                                                           unsupported(`""`),
		with(versionKey, `"2026-07-28\u0000"`):                                           unsupported(`"2026-07-28\u0000"`),
		with(versionKey, `null`):                                                         "-32602",
		with(versionKey, `20260728`):                                                     "-32602",
		with(versionKey, `["2026-07-28"]`):                                               "-32602",
		with(capabilityKey, ``):                                                          "-32602",
		with(capabilityKey, `null`):                                                      "-32602",
		with(capabilityKey, `[]`):                                                        "-32602",
		with(capabilityKey, `{"roots":7}`):                                               "-32602",
		with(clientKey, `null`):                                                          "-32602",
		with(clientKey, `{}`):                                                            "-32602",
		with(clientKey, `{"name":"a"}`):                                                  "-32602",
		with(levelKey, `"loud"`):                                                         "-32602",
		with(levelKey, `7`):                                                              "-32602",
		with("progressToken", `{}`):                                                      "-32602",
		with("progressToken", `1.5`):                                                     "-32602",
		fmt.Sprintf(`%q:"v999"`, versionKey):                                             "-32602 | -32022",
		fmt.Sprintf(`%q:"2026-07-28",%q:{}`, versionKey, "caps"):                         "-32602",
	} {
		for _, method := range []string{"tools/list", "server/discover"} {
			d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"m","method":%q,"params":{"_meta":{%s}}}`, method, meta))
			line := d.next()
			d.want(line, want, `"m"`)
			if t.Failed() {
				t.Fatalf("%s with %s", method, meta)
			}
		}
	}
	// Which comes first, the version or the method, decides whether a client falls back.
	d.say(`{"jsonrpc":"2.0","id":"m","method":"no/such","params":{"_meta":{` + with(versionKey, `"v999"`) + `}}}`)
	d.want(d.next(), unsupported(`"v999"`), `"m"`)
	d.end()
}

// TestStdioUnreadModernID: the answer to a modern request without a usable id has none, not even null.
func TestStdioUnreadModernID(t *testing.T) {
	t.Attr("requirements", "msg-error-id")
	for _, letter := range "CE" {
		d := start(t, letter)
		for _, id := range []string{"null", "1.5", "{}"} {
			d.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{%s}}`, id, claim))
			select {
			case line := <-d.lines: // which the validator takes for one of the session
				d.want(line, "-32600 !id", "")
			case <-t.Context().Done():
			}
		}
		d.end()
	}
}

// TestStdioPages walks through the lists, whose cursors are good for their own list only.
func TestStdioPages(t *testing.T) {
	t.Attr("requirements", "res-templates res-paginate page-size page-empty")
	for _, letter := range allRevisions {
		t.Run(revisions[letter], func(t *testing.T) {
			d := start(t, letter)
			resources, cursor := d.walk("resources/list", "resources", "uri")
			if len(resources) != 9+7 {
				t.Errorf("resources/list has %q", resources)
			}
			tools, _ := d.walk("tools/list", "tools", "name")
			if len(tools) != 13 {
				t.Errorf("tools/list has %q", tools)
			}
			for _, method := range []string{"tools/list", "resources/templates/list"} {
				d.say(d.request("1", method, `"cursor":`+cursor))
				d.want(d.next(), "-32602", "1")
			}
			// A cursor is good more than once, and not after a byte of it was changed.
			d.say(d.request("1", "resources/list", `"cursor":`+cursor))
			d.want(d.next(), "result resources>0", "1")
			for i := 1; i < len(cursor)-1; i += 7 {
				changed := []byte(cursor)
				changed[i] ^= 1
				d.say(d.request("1", "resources/list", `"cursor":`+string(changed)))
				d.want(d.next(), "-32602", "1")
			}
			d.end()
		})
	}
}

// walk returns one member of each entry of a list, in order, and the last cursor as JSON.
func (d *dialog) walk(method, list, key string) (entries []string, cursor string) {
	d.t.Helper()
	params := ""
	for range 20 {
		d.say(d.request("1", method, params))
		line := d.next()
		d.want(line, "result "+list+">0", "1")
		for i := range 100 {
			entry, ok := find(line, parts(line), fmt.Sprintf("%s>%d>%s", list, i, key))
			if !ok {
				break
			}
			entries = append(entries, string(entry))
		}
		next, ok := find(line, parts(line), "nextCursor")
		if !ok {
			return entries, cursor
		}
		cursor = string(next)
		params = `"cursor":` + cursor
	}
	d.t.Fatalf("%s does not end", method)
	return nil, ""
}
