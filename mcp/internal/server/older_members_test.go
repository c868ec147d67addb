package server

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
)

// A client of an older revision may have members of its own with the names of later ones.
func TestMembersOfLaterRevisions(t *testing.T) {
	st := newTestServer(t, nil)
	eachRevision(t, st.Server, func(t *testing.T, rev protocol.Revision, ask func(method, params string) string) {
		want := `"result":{"…":0}`
		if era.IsModern(rev) {
			want = `"error":{"code":-32602,"message":"*/requestState"}`
		}
		got := ask("resources/read", `"uri":"fix:///a","requestState":5,"inputResponses":"none"`)
		wantMatch(t, got, `{"jsonrpc":"2.0","id":1,`+want+`}`)
	})
}
