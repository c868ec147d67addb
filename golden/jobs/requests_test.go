package jobs_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A request about a task is answered with JSON, and only if the header for its name is the id of the task.
func TestTaskRequestsOverHTTP(t *testing.T) {
	s := newSite(t)
	for _, x := range []struct {
		name, method, header string
		status               int
		want                 string
	}{
		{"right", "tasks/get", "none", http.StatusOK, `"code":-32602`},
		{"other", "tasks/get", "another", http.StatusBadRequest, `"code":-32020`},
		{"missing", "tasks/get", "", http.StatusBadRequest, `"code":-32020`},
		{"update", "tasks/update", "another", http.StatusBadRequest, `"code":-32020`},
		{"cancel", "tasks/cancel", "another", http.StatusBadRequest, `"code":-32020`},
	} {
		r := s.modern("ada", "1", x.method, x.header, `"taskId":"none","inputResponses":{}`, extension)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != x.status || !strings.Contains(string(body), x.want) {
			t.Errorf("%s: %s %s", x.name, r.Status, body)
		}
		if got := r.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s: the answer is %s", x.name, got)
		}
	}
}
