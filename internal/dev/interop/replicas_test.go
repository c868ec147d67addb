package interop

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/dev/interop/httpfixture"
)

// TestGoClientOfReplicas drives three replicas behind a balancer without affinity with the official Go SDK, in every
// revision that the SDK speaks.
func TestGoClientOfReplicas(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			s := httpfixture.StartReplicas(t, openValidator(t), revision, 3)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			c := &goClient{t: t, ctx: ctx, dir: s.Dir, updated: make(chan string, 64), acks: make(chan struct{}, 64)}
			c.connect(&sdk.StreamableClientTransport{Endpoint: s.Notes}, revision)
			defer func() {
				if err := c.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			c.lists()
			c.reads()
			c.completes()
			c.callsTool()
			if revision < "2026-07-28" { // whose listens are not sessions
				c.subscribes(false)
			}
			if revision >= "2025-11-25" {
				answersForms(t, &sdk.StreamableClientTransport{Endpoint: s.Ask}, revision)
			}
		})
	}
}

// TestTypeScriptClientsOfReplicas is TestTypeScriptClients over HTTP, with three replicas.
func TestTypeScriptClientsOfReplicas(t *testing.T) {
	needTS(t)
	for _, tt := range tsClients {
		t.Run(tt.sdk+" "+tt.revision, func(t *testing.T) {
			t.Parallel()
			s := httpfixture.StartReplicas(t, openValidator(t), tt.revision, 3)
			r := runTS(t, tt.sdk, tt.revision, s.Dir, s.Notes, s.Desk, s.Ask)
			if r.Updated == "notes:///beta" { // the replica of the stream says that it may have changed before it joined
				r.Updated = "notes:///alpha"
			}
			checkTS(t, r, tt.revision, tt.notFound)
			checkTSPrompts(t, r, tt.revision)
			if b := r.Booked; tt.revision >= "2025-06-18" && (b.Name != "Ada" || b.Class != "first") {
				t.Errorf("booked %+v", b)
			}
			if tt.revision >= "2025-11-25" && (!r.Paid || r.Advice != "Old. (1 folders)") {
				t.Errorf("paid %t, advice %q", r.Paid, r.Advice)
			}
		})
	}
}
