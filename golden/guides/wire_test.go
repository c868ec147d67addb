package guides_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/guides"
	"github.com/mcpgen/mcpgen/golden/guides/ops"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func newServer(t *testing.T, opts *mcp.Options) *guides.GuidesServer {
	t.Helper()
	o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := guides.NewGuidesServer(guides.GuidesImpl{Ops: o}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// What each of several callers is told by the same requests: lists, one skill, directories, files.
func TestWire(t *testing.T) {
	t.Attr("requirements", "skill-get skill-errors")
	start := func(t *testing.T) mcptest.Server { return newServer(t, &mcp.Options{PageSize: 10}) }
	for name, who := range map[string]mcp.Caller{
		"nobody": {}, "staff": {Subject: "ann", Scopes: []string{"staff"}},
		"night": {Subject: "bob", Scopes: []string{"staff"}, Roles: []string{"night"}},
	} {
		t.Run(name, func(t *testing.T) {
			transcript.Run(t, name, start, func(c *mcptest.Client, _ protocol.Revision) {
				c.Do("resources/list", nil)
				c.Do("skills/list", nil)
				for _, uri := range []string{
					"skill://write-letter", "skill://acme/refunds", "skill://night-watch", "skill://restart",
				} {
					c.Do("skills/get", params(uri+"/SKILL.md", ""))
					c.Do("resources/directory/read", params(uri, ""))
					c.Do("resources/read", params(uri+"/SKILL.md", ""))
				}
				c.Do("resources/directory/read", params("skill://acme/refunds/references", ""))
				c.Do("resources/directory/read", params("skill://acme", ""))
				c.Do("resources/read", params("skill://acme/refunds/references/limits.md", ""))
			}, mcptest.WithCaller(who))
		})
	}
}

func params(uri, cursor string) json.RawMessage {
	p := map[string]string{}
	if uri != "" {
		p["uri"] = uri
	}
	if cursor != "" {
		p["cursor"] = cursor
	}
	b, _ := json.Marshal(p)
	return b
}

// Skills that tags leave out are in no list, and cannot be read.
func TestTags(t *testing.T) {
	all := mcp.Caller{Subject: "bob", Scopes: []string{"staff"}, Roles: []string{"night"}}
	c := mcptest.New(t, newServer(t, &mcp.Options{ExceptTags: []string{"internal"}}), mcptest.WithCaller(all))
	if got, _ := page(t, c, "skills/list", "", ""); got != "skill://restart/SKILL.md skill://write-letter/SKILL.md" {
		t.Error(got)
	}
	for _, uri := range []string{"skill://acme/refunds/SKILL.md", "skill://night-watch/SKILL.md"} {
		if _, fault := c.Do("resources/read", params(uri, "")); fault == nil {
			t.Errorf("%s can be read", uri)
		}
		if _, fault := c.Do("skills/get", params(uri, "")); fault == nil {
			t.Errorf("%s is a skill", uri)
		}
	}
}

// Nobody needs scopes for what tags leave out, so a server without authentication does not warn of it.
func TestTagsWithoutScopes(t *testing.T) {
	for _, except := range [][]string{nil, {"internal"}} {
		var log strings.Builder
		opts := &mcphttp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		srv := newServer(t, &mcp.Options{ExceptTags: except})
		if _, err := mcphttp.Handler(srv, opts); err != nil {
			t.Fatal(err)
		}
		if warns := strings.Contains(log.String(), "need scopes"); warns != (except == nil) {
			t.Errorf("without the tags %q: %s", except, log.String())
		}
		_ = srv.Close()
	}
}

// A list ends in a cursor that counts for that list and that caller only.
func TestPages(t *testing.T) {
	t.Attr("requirements", "skill-list")
	srv := newServer(t, nil)
	staff := mcp.Caller{Subject: "ann", Scopes: []string{"staff"}}
	c := mcptest.New(t, srv, mcptest.WithCaller(staff))
	first, next := page(t, c, "skills/list", "", "")
	second, last := page(t, c, "skills/list", "", next)
	want := "skill://acme/escalate/SKILL.md skill://acme/refunds/SKILL.md | " +
		"skill://restart/SKILL.md skill://write-letter/SKILL.md"
	if got := first + " | " + second; last != "" || got != want {
		t.Errorf("%s, cursor %q", got, last)
	}
	bad := func(c *mcptest.Client, method, uri, cursor string) {
		t.Helper()
		if _, fault := c.Do(method, params(uri, cursor)); mcptest.CodeOf(fault) != wire.CodeInvalidParams {
			t.Errorf("%s %s: %v", method, uri, fault)
		}
	}
	bad(c, "skills/list", "", "100")
	bad(c, "skills/list", "", next[:len(next)-2]+"AA")
	bad(c, "resources/directory/read", "skill://acme/refunds", next)
	bad(c, "resources/list", "", next)
	other, _ := c.Do("resources/list", nil)
	bad(c, "skills/list", "", cursorOf(t, other))
	bob := mcptest.New(t, srv, mcptest.WithCaller(mcp.Caller{Subject: "bob", Scopes: []string{"staff"}}))
	bad(bob, "skills/list", "", next)
	bad(mcptest.New(t, srv), "skills/list", "", next)
}

// Two servers that have the same skill cannot be joined.
func TestJoinCollision(t *testing.T) {
	var members []mcprt.Member
	for range 2 {
		o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, o)
	}
	_, err := mcprt.Join(&mcprt.Features{}, nil, members...)
	want := "there are skills at skill://restart and, declared apart, at skill://restart"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// page returns the URIs of a page, and its cursor.
func page(t *testing.T, c *mcptest.Client, method, uri, cursor string) (uris, next string) {
	t.Helper()
	text, fault := c.Do(method, params(uri, cursor))
	if fault != nil {
		t.Fatal(fault)
	}
	var list struct {
		Skills []struct{ URI string }
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, k := range list.Skills {
		all = append(all, k.URI)
	}
	return strings.Join(all, " "), cursorOf(t, text)
}

func cursorOf(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var r struct{ NextCursor string }
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	return r.NextCursor
}
