package attack

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const modernRevision = "2026-07-28"

// address is where and as whom messages are sent.
type address struct {
	transport    Transport
	path         string  // of the endpoint
	session      string  // its id; over HTTP+SSE the path and query that messages are sent to
	events       *events // of the session, over HTTP+SSE
	revision     string
	capabilities string // of the client, for 2026-07-28
	header       []string
	tasks        []string // ids that clients have got
}

// isModern reports whether 2026-07-28 is spoken there.
func (to *address) isModern() bool {
	return to.transport == Modern || to.transport == Unix || to.transport.isSecure()
}

var uris = regexp.MustCompile(`\$uris\((\d+),([^)]*)\)`)

// expand replaces what messages have in place of numbers and URIs.
func expand(text string, n int) string {
	if !strings.Contains(text, "$") {
		return text
	}
	text = strings.ReplaceAll(text, "$n", strconv.Itoa(n))
	if !strings.Contains(text, "$uris(") {
		return text // at no cost: a soak has a million messages
	}
	return uris.ReplaceAllStringFunc(text, func(found string) string {
		m := uris.FindStringSubmatch(found)
		k, _ := strconv.Atoi(m[1])
		var b strings.Builder
		for i := range k {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"%s%d-%d"`, m[2], n, i)
		}
		return b.String()
	})
}

// reads returns the id of the request that a client which reads the stream of a session waits for; "" for none, and
// "[" for a batch.
func (m *Message) reads(n int) string {
	if strings.HasPrefix(m.Body, "[") {
		return "["
	}
	if m.ID == "-" || m.RPC == "" {
		return ""
	}
	if m.ID == "" {
		return expand(`"c$n"`, n)
	}
	return expand(m.ID, n)
}

// body returns the JSON of a message.
func (m *Message) body(to *address, n int) string {
	if m.RPC == "" {
		return expand(to.fill(m.Body, n), n)
	}
	id := m.ID
	if id == "" {
		id = `"c$n"`
	}
	params := m.Params
	if params == "" {
		params = "{}"
	}
	if m.Modern || to.isModern() {
		meta := fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":`+
			`{"name":"attack","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s}}`, modernRevision, to.capabilities)
		if params = strings.TrimSuffix(params, "}"); params != "{" {
			params += ","
		}
		params += meta
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, m.RPC, params)
	if m.ID == "-" {
		text = strings.Replace(text, `"id":-,`, "", 1)
	}
	return expand(to.fill(text, n), n)
}

// fill replaces what messages have in place of tasks: $task is one of them, and $tasks all.
func (to *address) fill(text string, n int) string {
	if len(to.tasks) == 0 {
		return text
	}
	text = strings.ReplaceAll(text, `"$tasks"`, `"`+strings.Join(to.tasks, `","`)+`"`)
	return strings.ReplaceAll(text, "$task", to.tasks[n%len(to.tasks)])
}

// text returns what is written for a message: a line, or a request.
func (m *Message) text(to *address, n int) string {
	body := m.body(to, n)
	if to.transport == Stdio {
		return body + "\n"
	}
	method, path := m.Method, m.Path
	if method == "" {
		method = "POST"
	}
	if path == "" {
		path = to.path
		if to.events != nil && to.session != "" {
			path = to.session
		}
	}
	lines := []string{"Host: localhost", "Content-Type: application/json", "Accept: application/json, text/event-stream"}
	lines = append(lines, to.header...)
	if to.transport == Sessions && to.session != "" {
		lines = append(lines, "Mcp-Session-Id: "+to.session, "MCP-Protocol-Version: "+to.revision)
	}
	if to.isModern() {
		lines = append(lines, "MCP-Protocol-Version: "+modernRevision)
		lines = append(lines, modernHeader(m.RPC, body)...)
	}
	if method == "POST" || len(body) > 0 {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)+m.Missing))
	}
	for _, h := range m.Header {
		name, _, _ := strings.Cut(h, ":")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, name+":") })
	}
	for _, h := range m.Header {
		if _, value, _ := strings.Cut(h, ":"); value != "" {
			lines = append(lines, strings.ReplaceAll(h, "$session", to.session))
		}
	}
	return method + " " + path + " HTTP/1.1\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

// modernHeader returns the headers that repeat what the body says.
func modernHeader(method, body string) []string {
	if method == "" {
		return nil
	}
	var m struct {
		Params struct{ Name, URI, TaskID string }
	}
	_ = json.Unmarshal([]byte(body), &m) // our own text
	lines := []string{"Mcp-Method: " + method}
	if name := m.Params.Name + m.Params.URI + m.Params.TaskID; name != "" {
		if strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			name = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
		}
		lines = append(lines, "Mcp-Name: "+name)
	}
	return lines
}

// tool is a call of a tool.
func tool(name, arguments string) Message {
	return Message{RPC: "tools/call", Params: fmt.Sprintf(`{"name":%q,"arguments":{%s}}`, name, arguments)}
}

// request is a request with some params.
func request(method, params string) Message { return Message{RPC: method, Params: params} }

// read reads a resource.
func read(uri string) Message { return request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri)) }

// subscribe subscribes to a resource in a session.
func subscribe(uri string) Message {
	return request("resources/subscribe", fmt.Sprintf(`{"uri":%q}`, uri))
}

// listen opens a listen for resources, whose URIs are elements of an array of JSON.
func listen(uris string) Message {
	return request("subscriptions/listen", `{"notifications":{"resourceSubscriptions":[`+uris+`]}}`)
}

// slowBody is a request whose body begins and does not go on.
func slowBody(method, path string, header ...string) Message {
	return Message{Method: method, Path: path, Header: header, Body: `{"jsonrpc":`, Missing: 1000}
}
