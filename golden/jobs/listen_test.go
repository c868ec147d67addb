package jobs_test

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// site is an archive behind a real listener. The subject of a caller is what its header User says.
type site struct {
	t   *testing.T
	url string
	end func() // of the server, which ends the listens
}

func newSite(t *testing.T) *site {
	t.Helper()
	a := jobs.New(20*time.Millisecond, jobs.Document{Name: "minutes", Text: "We met and left."},
		jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
	srv, err := jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcphttp.Handler(srv, &mcphttp.Options{Authenticate: func(r *http.Request) (mcp.Caller, error) {
		return mcp.Caller{Subject: r.Header.Get("User")}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	end := func() { _ = srv.Base().Close() }
	t.Cleanup(func() {
		end()
		s.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return &site{t, s.URL + mcphttp.Path, end}
}

// send makes a request of a user, which ends with the test at the latest.
func (s *site) send(method, user, body string, head http.Header) (answer *http.Response, cancel func()) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(r.Header, head)
	r.Header.Set("User", user)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	answer, err = http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer, cancel
}

const extension = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},` +
	`"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// modern makes a request of 2026-07-28 about a target: a tool, a task or nothing.
func (s *site) modern(user, id, method, target, params, capabilities string) *http.Response {
	s.t.Helper()
	if params != "" {
		params = "," + params
	}
	head := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method}}
	if target != "" {
		head.Set("Mcp-Name", target)
	}
	answer, _ := s.send(http.MethodPost, user, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+capabilities+`}`+params+`}}`, head)
	return answer
}

// ask is modern for a request of ada that has one message as its answer.
func (s *site) ask(method, target, params string) string {
	s.t.Helper()
	text, err := io.ReadAll(s.modern("ada", "1", method, target, params, extension).Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// create calls a tool as a task, and returns its id.
func (s *site) create(tool, args string) string {
	s.t.Helper()
	text := s.ask("tools/call", tool, `"name":"`+tool+`","arguments":`+args)
	return at(s.t, text, "result", "taskId")
}

// listen opens a listen for tasks, and returns its messages.
func (s *site) listen(user string, id int, tasks ...string) *events {
	s.t.Helper()
	list := `"` + strings.Join(tasks, `","`) + `"`
	return read(s.t, s.modern(user, strconv.Itoa(id), "subscriptions/listen", "",
		`"notifications":{"taskIds":[`+list+`]}`, extension))
}

// at returns a member of a message, as text without quotes.
func at(t *testing.T, text string, path ...string) string {
	t.Helper()
	raw, ok := wire.Lookup([]byte(text), path...)
	if !ok {
		t.Fatalf("%s has no %v", text, path)
	}
	return strings.Trim(string(raw), `"`)
}

// events are the messages of an SSE stream.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
}

func read(t *testing.T, answer *http.Response) *events {
	t.Helper()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(answer.Body)
		t.Fatalf("%d %s %s", answer.StatusCode, kind, text)
	}
	return &events{t, bufio.NewScanner(answer.Body)}
}

// next returns the next message.
func (e *events) next() string {
	e.t.Helper()
	for e.lines.Scan() {
		if text, ok := strings.CutPrefix(e.lines.Text(), "data: "); ok && text != "" {
			return text
		}
	}
	e.t.Fatalf("the stream has ended: %v", e.lines.Err())
	return ""
}

// until returns the messages about tasks up to the one with a status.
func (e *events) until(status string) (all []string) {
	e.t.Helper()
	for {
		text := e.next()
		all = append(all, text)
		method := at(e.t, text, "method")
		if method != "notifications/tasks" && method != "notifications/tasks/status" {
			e.t.Fatalf("%s among the notifications about tasks", text)
		}
		if at(e.t, text, "params", "status") == status {
			return all
		}
	}
}

// Listens of 2026-07-28 with taskIds over HTTP: what the conformance suite skips (ext-tasks, notifications/tasks).
func TestListensOverHTTP(t *testing.T) {
	t.Attr("requirements", "task-ext-listen")
	t.Parallel()
	s := newSite(t)
	id := s.create("count_words", "{}")
	other := s.create("rebuild", "{}")
	first, second := s.listen("ada", 7, id, "UNKNOWN", id), s.listen("ada", 8, id, other)
	foreign := s.listen("eve", 9, id)
	for e, want := range map[*events]string{
		first: `["` + id + `"]`, second: `["` + id + `","` + other + `"]`, foreign: `[]`,
	} {
		ack := e.next()
		if got := at(t, ack, "params", "notifications", "taskIds"); got != strings.Trim(want, `"`) {
			t.Errorf("honoured %s, want %s", got, want)
		}
	}
	for _, text := range first.until("completed") {
		if at(t, text, "params", "taskId") != id ||
			at(t, text, "params", "_meta", "io.modelcontextprotocol/subscriptionId") != "7" {
			t.Errorf("%s on the listen 7 for %s", text, id)
		}
		got := at(t, s.ask("tasks/get", id, `"taskId":"`+id+`"`), "result", "createdAt")
		if at(t, text, "params", "createdAt") != got {
			t.Errorf("%s is not of the task of tasks/get, created at %s", text, got)
		}
		if at(t, text, "params", "status") == "completed" &&
			at(t, text, "params", "result", "structuredContent", "words") != "12" {
			t.Errorf("completed without its result: %s", text)
		}
	}
	ended := map[string]bool{}
	for len(ended) < 2 {
		all := second.until("completed")
		ended[at(t, all[len(all)-1], "params", "taskId")] = true
	}
	if text, _ := io.ReadAll(s.modern("ada", "1", "subscriptions/listen", "", `"notifications":{"taskIds":["`+id+`"]}`,
		`"io.modelcontextprotocol/clientCapabilities":{}`).Body); !strings.Contains(string(text), `"code":-32021`) {
		t.Errorf("a listen without the extension: %s", text)
	}
	s.end()
	for foreign.lines.Scan() {
		if text := foreign.lines.Text(); strings.Contains(text, "notifications/tasks") {
			t.Errorf("a listen of somebody else got %s", text)
		}
	}
}

// A task that asks and one that is cancelled, on one listen.
func TestListenToQuestionsOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	purge := s.create("purge", `{"prefix":"draft"}`)
	listen := s.listen("ada", 7, purge)
	listen.next()
	all := listen.until("input_required")
	if got := at(t, all[len(all)-1], "params", "inputRequests", "consent", "method"); got != "elicitation/create" {
		t.Errorf("asked for %s", got)
	}
	s.ask("tasks/update", purge, `"taskId":"`+purge+
		`","inputResponses":{"consent":{"action":"accept","content":{"delete":true}}}`)
	all = listen.until("completed")
	if got := at(t, all[len(all)-1], "params", "result", "structuredContent", "result"); got != "2" {
		t.Errorf("%s documents deleted, want 2", got)
	}
	// Letters to so many take 20 seconds.
	letters := s.create("send_letters", `{"document":"minutes","to":["Ada"`+strings.Repeat(`,"Ada"`, 999)+`]}`)
	listen = s.listen("ada", 8, letters)
	listen.next()
	s.ask("tasks/cancel", letters, `"taskId":"`+letters+`"`)
	listen.until("cancelled")
}

// The GET stream of a session of 2025-11-25 tells of its tasks; one that is opened again tells the present state.
func TestTaskStatusOverHTTP(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	answer, _ := s.send(http.MethodPost, "ada", initialize, nil)
	session := http.Header{"Mcp-Session-Id": {answer.Header.Get("Mcp-Session-Id")}}
	s.send(http.MethodPost, "ada", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session)
	create := func(tool, args string) string {
		answer, _ := s.send(http.MethodPost, "ada", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+tool+
			`","arguments":`+args+`,"task":{}}}`, session)
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return at(t, string(text), "result", "task", "taskId")
	}
	stream, hangUp := s.send(http.MethodGet, "ada", "", session)
	first := read(t, stream)
	id := create("count_words", "{}")
	for _, text := range first.until("completed") {
		if at(t, text, "params", "taskId") != id {
			t.Errorf("%s, of another task than %s", text, id)
		}
		if _, has := wire.Lookup([]byte(text), "params", "result"); has {
			t.Errorf("%s has a result", text)
		}
	}
	hangUp()
	failed := create("send_letters", `{"document":"none","to":["Ada"]}`)
	stream, _ = s.send(http.MethodGet, "ada", "", session)
	again := read(t, stream)
	for seen := map[string]bool{}; !seen[id+"completed"] || !seen[failed+"failed"]; {
		text := again.next()
		seen[at(t, text, "params", "taskId")+at(t, text, "params", "status")] = true
	}
}
