package mcphttp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// A replica that has forgotten a session, and goes on with it, asks with ids that it has not used before: a late answer
// to an old question is none to a new one.
func TestQuestionsAfterReturn(t *testing.T) {
	t.Attr("requirements", "msg-id-unique")
	r := newTwin(t, &mcphttp.Options{SessionTimeout: 40 * time.Millisecond, SessionLifetime: time.Hour}, withQuestions)
	url := r.listen(t)
	w := r.do("POST", strings.ReplaceAll(initializeWithRoots, "%s", "2025-11-25"))
	want(t, w, 200)
	s := []string{"Mcp-Session-Id", w.Header().Get("Mcp-Session-Id")}
	want(t, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s...), 202)
	seen := map[string]bool{}
	for range 3 {
		l := open(t, url, "POST", request("tools/call", `"name":"ask"`), s...)
		var question string
		for !strings.Contains(question, "roots/list") {
			_, question = l.event()
		}
		_, id, _ := strings.Cut(question, `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		if id == "" || seen[id] {
			t.Fatalf("the id %q comes twice: %s", id, question)
		}
		seen[id] = true
		want(t, r.do("POST", `{"jsonrpc":"2.0","id":"`+id+`","result":{"roots":[]}}`, s...), 202)
		drain(l)
		time.Sleep(200 * time.Millisecond) // it is forgotten
	}
}
