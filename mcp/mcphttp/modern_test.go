package mcphttp_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// The order in which a modern request is checked decides what a probing client sees.
func TestModernChecks(t *testing.T) {
	t.Attr("requirements", "meta-required meta-capability http-notification http-response-type http-single "+
		"http-version-header http-method-header http-unknown-method http-header-case "+
		"http-older version-unsupported removed-methods")
	r := newRig(t, nil)
	discover, good := modern("server/discover", "", "")
	read, readHead := modern("resources/read", "=?base64?"+base64.StdEncoding.EncodeToString([]byte("r:///ä"))+"?=",
		`"uri":"r:///ä"`)
	v999 := strings.Replace(discover, modernVersion, "v999", 1)
	noCaps := strings.Replace(discover, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1)
	for _, x := range []struct {
		name, body string
		headers    []string
		status     int
		text       string
	}{
		{"good", discover, good, 200, `"supportedVersions"`},
		{"no claim", `{"jsonrpc":"2.0","id":"x","method":"server/discover","params":{}}`, good, 400,
			`"id":"x","error":{"code":-32602`},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, good, 400, "-32602"},
		{"malformed before version", noCaps, []string{"Mcp-Protocol-Version", "v999"}, 400, "-32602"},
		{"no version header", discover, good[2:], 400, "-32020"},
		{"other version header", discover, []string{"Mcp-Protocol-Version", "2025-11-25", "Mcp-Method", "server/discover"},
			400, "-32020"},
		{"two version headers", discover, append(slices.Clip(good), "Mcp-Protocol-Version", modernVersion), 400, "-32020"},
		{"unknown version", v999, []string{"Mcp-Protocol-Version", "v999"}, 400, `"code":-32022`},
		{"unknown version is named", v999, []string{"Mcp-Protocol-Version", "v999"}, 400, `"requested":"v999"`},
		{"header before unknown version", v999, good, 400, "-32020"},
		{"no method header", discover, good[:2], 400, "-32020"},
		{"other method header", discover, []string{"Mcp-Protocol-Version", modernVersion, "Mcp-Method", "Server/Discover"},
			400, "-32020"},
		{"name", read, readHead, 200, `"text":"text"`},
		{"no name", read, readHead[:4], 400, "-32020"},
		{"other name", read, append(readHead[:4:4], "Mcp-Name", "r:///a"), 400, "-32020"},
		{"raw octets", read, append(readHead[:4:4], "Mcp-Name", "r:///ä"), 400, "-32020"},
		{"bad alphabet", read, append(readHead[:4:4], "Mcp-Name", "=?base64?cjovLy_DpA==?="), 400, "-32020"},
		{"bad padding", read, append(readHead[:4:4], "Mcp-Name", "=?base64?cjovLy/DpA?="), 400, "-32020"},
		{"no suffix", read, append(readHead[:4:4], "Mcp-Name", "=?base64?cjovLy/DpA=="), 400, "-32020"},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, good, 400, "-32600"},
		{"batch", `[` + discover + `]`, good, 400, "-32600"},
	} {
		w := r.do("POST", x.body, x.headers...)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.text) {
			t.Errorf("%s: %d %s", x.name, w.Code, w.Body)
		}
	}
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe",
		"resources/unsubscribe", "no/such", "prompts/list"} {
		body, headers := modern(method, "", "")
		want(t, r.do("POST", body, headers...), 404, `"id":1,"error":{"code":-32601`)
	}
	body, headers := modern("resources/read", "r:///b", `"uri":"r:///b"`)
	want(t, r.do("POST", body, headers...), 200, "-32602", `"uri":"r:///b"`)
	w := r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+modernMeta+`}}`, good...)
	want(t, w, 202)
	if w.Body.Len() > 0 || w.Header().Get("Mcp-Session-Id") != "" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

func TestHeaderParams(t *testing.T) {
	t.Attr("requirements", "http-param-header http-param-header-number http-param-header-null "+
		"http-param-header-characters http-header-base64")
	r := newRig(t, nil)
	for _, x := range []struct {
		args    string
		headers []string
		status  int
	}{
		{`{}`, nil, 200},
		{`{"region":null}`, nil, 200},
		{`{"who":"x"}`, nil, 200},
		{`{"region":"eu"}`, []string{"mcp-param-REGION", "eu"}, 200},
		{`{"region":"eu"}`, nil, 400},
		{`{"region":"eu"}`, []string{"Mcp-Param-Region", "EU"}, 400},
		{`{"region":"eu"}`, []string{"Mcp-Param-Region", "eu", "Mcp-Param-Region", "eu"}, 400},
		{`{}`, []string{"Mcp-Param-Region", "eu"}, 400},
		{`{"region":"ü"}`, []string{"Mcp-Param-Region", "=?base64?w7w=?="}, 200},
		{`{"region":"ü"}`, []string{"Mcp-Param-Region", "=?base64?w7w?="}, 400},
		{`{"region":"=?base64?w7w=?="}`, []string{"Mcp-Param-Region", "=?base64?w7w=?="}, 400},
		{`{"deep":{"n":42}}`, []string{"Mcp-Param-N", "42"}, 200},
		{`{"deep":{"n":42.0}}`, []string{"Mcp-Param-N", "42"}, 200},
		{`{"deep":{"n":42}}`, []string{"Mcp-Param-N", "43"}, 400},
		{`{"deep":{"n":42}}`, []string{"Mcp-Param-N", "NaN"}, 400},
		{`{"deep":{"n":42}}`, []string{"Mcp-Param-N", "42,43"}, 400},
		{`{"deep":{"n":42}}`, []string{"Mcp-Param-N", "=?base64?NDIgNDM=?="}, 400},
		{`{"deep":{"n":9007199254740992}}`, []string{"Mcp-Param-N", "9007199254740993"}, 400},
		{`{"deep":{"b":true}}`, []string{"Mcp-Param-B", "true"}, 200},
		{`{"deep":{"b":true}}`, []string{"Mcp-Param-B", "True"}, 400},
		{`{"deep":{"b":false,"n":-7}}`, []string{"Mcp-Param-B", "false", "Mcp-Param-N", "-7"}, 200},
	} {
		body, headers := modern("tools/call", "routed", `"name":"routed","arguments":`+x.args)
		w := r.do("POST", body, append(headers, x.headers...)...)
		if w.Code != x.status || x.status == 400 && !strings.Contains(w.Body.String(), "-32020") {
			t.Errorf("%s with %q: %d %s", x.args, x.headers, w.Code, w.Body)
		}
	}
}

// What comes before the answer makes the response a stream.
func TestModernStream(t *testing.T) {
	t.Attr("requirements", "http-response-type http-related http-final http-buffering log-stream")
	r := newRig(t, nil)
	body, headers := modern("tools/call", "log", `"name":"log"`)
	w := r.do("POST", body, headers...)
	want(t, w, 200, `"text":"done"`)
	if w.Header().Get("Content-Type") != "application/json" || strings.Contains(w.Body.String(), "first") {
		t.Errorf("without a log level: %v %s", w.Header(), w.Body)
	}
	body = strings.Replace(body, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)
	w = r.do("POST", body, headers...)
	want(t, w, 200)
	text := w.Body.String()
	first, second, done := strings.Index(text, "first"), strings.Index(text, "second"), strings.Index(text, "done")
	if w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("X-Accel-Buffering") != "no" ||
		first < 0 || second < first || done < second || strings.Contains(text, "id: ") {
		t.Errorf("%v %s", w.Header(), text)
	}
}

func TestDisconnectCancels(t *testing.T) {
	t.Attr("requirements", "http-close-cancels")
	r := newRig(t, nil)
	url := r.listen(t)
	body, headers := modern("tools/call", "wait", `"name":"wait"`)
	body = strings.Replace(body, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)
	l := open(t, url, "POST", body, headers...)
	<-r.started
	l.close()
	<-r.ended
}

func TestListen(t *testing.T) {
	t.Attr("requirements", "http-buffering listen-end cancel-listen")
	r := newRig(t, nil)
	url := r.listen(t)
	body, headers := modern("subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["r:///ä"],"toolsListChanged":true}`)
	l := open(t, url, "POST", body, headers...)
	gone := open(t, url, "POST", body, headers...)
	if l.Header.Get("Content-Type") != "text/event-stream" || l.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%v", l.Header)
	}
	if _, data := l.event(); !strings.Contains(data, "subscriptions/acknowledged") || strings.Contains(data, "toolsListChanged") || !strings.Contains(data, "r:///ä") {
		t.Errorf("acknowledgement %s", data)
	}
	gone.close()
	r.srv.ResourceUpdated("r:///ä")
	if _, data := l.event(); !strings.Contains(data, "resources/updated") || !strings.Contains(data, `subscriptionId":1`) {
		t.Errorf("update %s", data)
	}
	go r.srv.Close()
	if _, data := l.event(); !strings.Contains(data, `"id":1,"result":`) {
		t.Errorf("end %s", data)
	}
	if rest := drain(l); strings.Contains(rest, "data") {
		t.Errorf("after the end: %s", rest)
	}
	body, headers = modern("server/discover", "", "")
	w := r.do("POST", body, headers...)
	want(t, w, 503)
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// A handler that ends its goroutine must not keep the server from closing.
func TestGoexit(t *testing.T) {
	r := newRig(t, nil)
	body, headers := modern("tools/call", "exit", `"name":"exit"`)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.do("POST", body, headers...)
	}()
	<-done
	if err := r.srv.Close(); err != nil {
		t.Error(err)
	}
}
