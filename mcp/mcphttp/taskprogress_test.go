package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// stepsCall are the params of a call of the tool steps that becomes a task of 2025-11-25, with a progress token.
const stepsCall = `"name":"steps","arguments":{},"task":{},"_meta":{"progressToken":"tok"}`

// taskIDIn returns the id of a task in a response of 2025-11-25.
func taskIDIn(t testing.TB, response string) string {
	t.Helper()
	_, id, ok := strings.Cut(response, `"taskId":"`)
	if !ok {
		t.Fatalf("no task: %s", response)
	}
	id, _, _ = strings.Cut(id, `"`)
	return id
}

// isStep reports whether a message is the progress of a task of the tool steps.
func isStep(message string) bool {
	for _, part := range []string{
		`"notifications/progress"`, `"progressToken":"tok"`, `"progress":1`, `"related-task":{`,
	} {
		if !strings.Contains(strings.ReplaceAll(message, "io.modelcontextprotocol/", ""), part) {
			return false
		}
	}
	return true
}

// step reads events up to the progress of a task.
func (l *live) step(t testing.TB) string {
	t.Helper()
	for {
		_, data := l.event()
		if data == "" {
			t.Fatal("the stream has ended")
		}
		if isStep(data) {
			return data
		}
	}
}

// The progress of a task of 2025-11-25 comes on the GET stream of its session.
func TestTaskProgressOnStream(t *testing.T) {
	t.Attr("requirements", "http-get-unrelated")
	r := newRigWith(t, nil, nil, withTasks)
	s := r.initialize(t, "2025-11-25")
	l := open(t, r.listen(t), "GET", "", s...)
	if l.StatusCode != http.StatusOK {
		t.Fatalf("GET: %d", l.StatusCode)
	}
	want(t, r.do("POST", subscribeTo("r:///ä"), s...), 200)
	r.srv.ResourceUpdated("r:///ä")
	l.until(t, "r:///ä") // the stream has more than its header: progress waits for none
	id := taskIDIn(t, r.do("POST", request("tools/call", stepsCall), s...).Body.String())
	if step := l.step(t); !strings.Contains(step, id) {
		t.Errorf("the progress of another task: %s", step)
	}
	want(t, r.do("POST", request("tasks/cancel", `"taskId":"`+id+`"`), s...), 200, `"cancelled"`)
}

// The same on the stream of HTTP+SSE.
func TestTaskProgressOverSSE(t *testing.T) {
	r := newRigWith(t, &mcphttp.Options{SSE: true}, nil, withTasks)
	c := openSSE(t, r.listen(t))
	c.initialize("2025-11-25")
	c.post(http.StatusAccepted, request("tools/call", stepsCall))
	c.step(t)
}
