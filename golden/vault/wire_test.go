package vault_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/vault"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

var (
	ann = mcp.Caller{Subject: "ann", Scopes: []string{"vault", "vault.write"}}
	bob = mcp.Caller{Subject: "bob", Scopes: []string{"vault", "vault.write", "vault.audit"},
		Roles: []string{"clerk", "keeper"}}
	root   = mcp.Caller{Subject: "root", Scopes: []string{"vault", "vault.admin"}}
	nobody = mcp.Caller{}
)

type world struct {
	*vault.VaultServer
	trace *vault.Tracer
	audit *bytes.Buffer
}

// newVault returns a server with letters of ann and bob.
func newVault(t *testing.T, opts mcp.Options) *world {
	t.Helper()
	w := &world{trace: new(vault.Tracer), audit: new(bytes.Buffer)}
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.Audit = slog.New(slog.NewTextHandler(w.audit, &slog.HandlerOptions{ReplaceAttr: func(_ []string,
		a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey {
			return slog.Attr{}
		}
		return a
	}}))
	v := &vault.Vault{Admins: []string{"root"}}
	for _, who := range []string{"ann", "bob"} {
		if _, err := v.Write(context.Background(), vault.WriteIn{Name: "first", Text: "Dear " + who},
			mcp.Caller{Subject: who}); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := vault.NewVaultServer(vault.VaultImpl{Vault: v, Middleware: w.trace}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	w.VaultServer = srv
	return w
}

// What each of several users is told by the same requests.
func TestWire(t *testing.T) {
	t.Attr("requirements", "prompt-list res-list res-binary-care tool-list tool-sanitize")
	start := func(t *testing.T) mcptest.Server { return newVault(t, mcp.Options{}) }
	for name, who := range map[string]mcp.Caller{"ann": ann, "bob": bob, "nobody": nobody} {
		t.Run(name, func(t *testing.T) {
			transcript.Run(t, name, start, func(c *mcptest.Client, rev protocol.Revision) {
				for _, r := range requests {
					if protocol.HasMethod(rev, r.method) {
						c.Do(r.method, json.RawMessage(r.params))
					}
				}
				time.Sleep(2 * time.Minute) // the search has not noticed that nobody waits for it
			}, mcptest.WithCaller(who))
		})
	}
}

var requests = []struct{ method, params string }{
	{protocol.MethodResourcesList, `{}`},
	{protocol.MethodResourcesTemplatesList, `{}`},
	{protocol.MethodToolsList, `{}`},
	{protocol.MethodPromptsList, `{}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///rules"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///letters/ann/first"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///of/first/by/ann"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///letters/ann/none"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///letters/bob/first"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///journal"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///nothing"}`},
	{protocol.MethodResourcesSubscribe, `{"uri":"vault:///letters/bob/first"}`},
	{protocol.MethodResourcesSubscribe, `{"uri":"vault:///journal"}`},
	{protocol.MethodToolsCall, `{"name":"write","arguments":{"name":"second","text":"More"}}`},
	{protocol.MethodToolsCall, `{"name":"write","arguments":{"name":"third","text":"A much longer text than the first one"}}`},
	{protocol.MethodToolsCall, `{"name":"write","arguments":{"name":"fourth","text":"Too often"}}`},
	{protocol.MethodToolsCall, `{"name":"export"}`},
	{protocol.MethodToolsCall, `{"name":"lock","arguments":{"owner":"bob"}}`},
	{protocol.MethodToolsCall, `{"name":"inventory"}`},
	{protocol.MethodResourcesRead, `{"uri":"vault:///keepers"}`},
	{protocol.MethodResourcesSubscribe, `{"uri":"vault:///keepers"}`},
	{protocol.MethodToolsCall, `{"name":"search"}`},
	{protocol.MethodToolsCall, `{"name":"nothing"}`},
	{protocol.MethodPromptsGet, `{"name":"reply","arguments":{"owner":"ann","name":"first"}}`},
	{protocol.MethodPromptsGet, `{"name":"reply","arguments":{"owner":"bob","name":"first"}}`},
	{protocol.MethodPromptsGet, `{"name":"reply"}`},
	{protocol.MethodPromptsGet, `{"name":"nothing"}`},
	{protocol.MethodCompletionComplete, `{"ref":{"type":"ref/resource","uri":"vault:///letters/{owner}/{name}"},"argument":{"name":"name","value":""}}`},
}

// To those who may not know of it, everything is what was never declared.
func TestForbiddenIsAbsent(t *testing.T) {
	t.Attr("requirements", "auth-unauthorized prompt-security completion-access res-access res-permission "+
		"tool-access cache-access")
	c := mcptest.New(t, newVault(t, mcp.Options{}), mcptest.WithCaller(nobody))
	for _, pair := range []struct{ method, hidden, absent, params string }{
		{protocol.MethodToolsCall, "write", "never", `{"name":"X","arguments":{"wrong":1}}`},
		{protocol.MethodPromptsGet, "reply", "never", `{"name":"X","arguments":{"wrong":"1"}}`},
		{protocol.MethodResourcesRead, "vault:///journal", "vault:///never", `{"uri":"X"}`},
		{protocol.MethodResourcesRead, "vault:///letters/ann/first", "vault:///never/ann/first", `{"uri":"X"}`},
		{protocol.MethodCompletionComplete, "vault:///letters/{owner}/{name}", "vault:///{never}", `{"ref":{"type":"ref/resource","uri":"X"},"argument":{"name":"no","value":""}}`},
		{protocol.MethodCompletionComplete, "reply", "never", `{"ref":{"type":"ref/prompt","name":"X"},"argument":{"name":"no","value":""}}`},
	} {
		_, hidden := c.Do(pair.method, json.RawMessage(strings.ReplaceAll(pair.params, "X", pair.hidden)))
		_, absent := c.Do(pair.method, json.RawMessage(strings.ReplaceAll(pair.params, "X", pair.absent)))
		if hidden == nil || absent == nil {
			t.Fatalf("%s %s: no error", pair.method, pair.hidden)
		}
		got := strings.ReplaceAll(whole(hidden), pair.hidden, pair.absent)
		if want := whole(absent); got != want {
			t.Errorf("%s %s: %s, want %s", pair.method, pair.hidden, got, want)
		}
	}
}

// whole is all that a client gets to know from an error.
func whole(err error) string {
	fault, _ := errors.AsType[*wire.Error](err)
	return string(fault.AppendJSON(nil))
}

// A cursor is for the caller who got it, and pages leave out what somebody must not see.
func TestCursors(t *testing.T) {
	t.Attr("requirements", "page-invalid")
	srv := newVault(t, mcp.Options{PageSize: 1, Keys: [][]byte{bytes.Repeat([]byte{1}, 32)}})
	cursor := func(who mcp.Caller, method string) string {
		c := mcptest.New(t, srv, mcptest.WithCaller(who))
		result, fault := c.Do(method, nil)
		if fault != nil {
			t.Fatal(fault)
		}
		var page struct{ NextCursor string }
		if err := json.Unmarshal(result, &page); err != nil {
			t.Fatal(err)
		}
		return `{"cursor":"` + page.NextCursor + `"}`
	}
	for _, method := range []string{protocol.MethodToolsList, protocol.MethodResourcesList} {
		c := mcptest.New(t, srv, mcptest.WithCaller(ann))
		if _, fault := c.Do(method, json.RawMessage(cursor(ann, method))); fault != nil {
			t.Errorf("%s: own cursor: %v", method, fault)
		}
		clerk := ann
		clerk.Roles = []string{"clerk"}
		for _, other := range []mcp.Caller{root, clerk} {
			_, fault := c.Do(method, json.RawMessage(cursor(other, method)))
			if mcptest.CodeOf(fault) != -32602 {
				t.Errorf("%s: cursor of %+v: %v", method, other, fault)
			}
		}
	}
}

// One of the roles is enough, no scope stands for one, and everything that shows a feature looks at them.
func TestRoles(t *testing.T) {
	t.Attr("requirements", "res-access")
	keepers := func(roles ...string) (listed, heard bool) {
		who := mcp.Caller{Subject: "eve", Scopes: []string{"vault", "keeper"}, Roles: roles}
		synctest.Test(t, func(t *testing.T) {
			srv := newVault(t, mcp.Options{})
			c := mcptest.New(t, srv, mcptest.WithCaller(who))
			listed = slices.ContainsFunc(c.List(), func(r protocol.Resource) bool { return r.URI == "vault:///keepers" })
			if _, fault := c.Do(protocol.MethodResourcesRead,
				json.RawMessage(`{"uri":"vault:///keepers"}`)); (fault == nil) != listed {
				t.Errorf("%v: listed %t, read: %v", roles, listed, fault)
			}
			old := mcptest.New(t, srv, mcptest.WithCaller(who), mcptest.WithRevision(protocol.Revision20250618))
			_, fault := old.Do(protocol.MethodResourcesSubscribe, json.RawMessage(`{"uri":"vault:///keepers"}`))
			heard = fault == nil
		})
		return listed, heard
	}
	for _, roles := range [][]string{{"keeper"}, {"clerk", "keeper"}} {
		if listed, heard := keepers(roles...); !listed || !heard {
			t.Errorf("%v: listed %t, subscribed %t", roles, listed, heard)
		}
	}
	for _, roles := range [][]string{nil, {"Keeper"}, {"keeper,clerk"}} {
		if listed, heard := keepers(roles...); listed || heard {
			t.Errorf("%v: listed %t, subscribed %t", roles, listed, heard)
		}
	}
}

// Who may not hear of a letter any more is not told of it, in both eras, and others still are.
func TestRevocation(t *testing.T) {
	t.Attr("requirements", "res-permission subscribe-only")
	for _, rev := range []protocol.Revision{protocol.Revision20250618, slices.Max(mcp.Revisions())} {
		t.Run(rev.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := newVault(t, mcp.Options{})
				const uri = "vault:///letters/bob/first"
				bobs := mcptest.New(t, srv, mcptest.WithCaller(bob), mcptest.WithRevision(rev))
				roots := mcptest.New(t, srv, mcptest.WithCaller(root), mcptest.WithRevision(rev))
				his, all := bobs.Subscribe(uri), roots.Subscribe(uri)
				srv.LetterUpdated("bob", "first")
				his.Next()
				all.Next()
				roots.Call("lock", `{"owner":"bob"}`)
				srv.LetterUpdated("bob", "first")
				all.Next()
				synctest.Wait()
				if his.Pending() != 0 {
					t.Error("bob was told of a letter that he may not read")
				}
				if _, fault := bobs.Do(protocol.MethodResourcesRead, json.RawMessage(`{"uri":"`+uri+`"}`)); fault == nil {
					t.Error("bob could read it")
				}
			})
		})
	}
}

// A caller whose proof has expired is nobody.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		who := ann
		who.Expires = time.Now().Add(time.Minute)
		srv := newVault(t, mcp.Options{})
		c := mcptest.New(t, srv, mcptest.WithCaller(who), mcptest.WithTimeout(time.Hour))
		sub := c.Subscribe("vault:///letters/ann/first")
		srv.LetterUpdated("ann", "first")
		sub.Next()
		time.Sleep(time.Minute)
		srv.LetterUpdated("ann", "first")
		time.Sleep(time.Second)
		if sub.Pending() != 0 {
			t.Error("an expired caller was told")
		}
		if tools := c.Tools(); len(tools) != 2 || tools[0].Name != "inventory" || tools[1].Name != "lock" {
			t.Errorf("an expired caller sees %v", tools)
		}
		if c.Read("vault:///rules") != vault.Rules {
			t.Error("what is for everybody is not")
		}
	})
}

// A call that takes too long is answered at its deadline, by a handler that does not notice too.
func TestTimeout(t *testing.T) {
	t.Attr("requirements", "init-timeout-option init-timeout-maximum sampling-iterations res-timeout")
	synctest.Test(t, func(t *testing.T) {
		c := mcptest.New(t, newVault(t, mcp.Options{}), mcptest.WithCaller(ann), mcptest.WithTimeout(time.Hour))
		begun := time.Now()
		r := c.Call("search", `{}`)
		if took := time.Since(begun); took != 2*time.Second || r.IsError == nil || !*r.IsError {
			t.Errorf("after %v: %v", took, r)
		}
		if busy := c.Call("search", `{}`); busy.IsError == nil {
			t.Error("the handler that has not noticed does not count as running")
		}
		time.Sleep(time.Minute)
	})
}

func TestMiddleware(t *testing.T) {
	srv := newVault(t, mcp.Options{})
	c := mcptest.New(t, srv, mcptest.WithCaller(ann))
	c.Read("vault:///letters/ann/first")
	c.Read("vault:///letters/ann/first")
	c.Call("export", `{}`)
	if a, b := srv.trace.Count("vault:///letters/ann/first"), srv.trace.Count("export"); a != 2 || b != 1 {
		t.Errorf("counted %d reads and %d calls", a, b)
	}
	srv.trace.Close()
	if _, fault := c.Do(protocol.MethodResourcesRead, json.RawMessage(`{"uri":"vault:///rules"}`)); fault == nil ||
		!strings.HasPrefix(fault.Error(), "closed for today (") {
		t.Errorf("read: %v", fault)
	}
	if r := c.Call("export", `{}`); r.IsError == nil {
		t.Error("the tool ran")
	}
}

func TestMissingMiddleware(t *testing.T) {
	if _, err := vault.NewVaultServer(vault.VaultImpl{Vault: new(vault.Vault)}, nil); err == nil {
		t.Error("no error")
	}
}

func TestAudit(t *testing.T) {
	t.Attr("requirements", "sampling-sensitive res-audit")
	synctest.Test(t, func(t *testing.T) {
		srv := newVault(t, mcp.Options{})
		c := mcptest.New(t, srv, mcptest.WithCaller(ann), mcptest.WithTimeout(time.Hour))
		c.Read("vault:///letters/ann/first")
		c.Do(protocol.MethodResourcesRead, json.RawMessage(`{"uri":"vault:///letters/bob/first"}`))
		c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"lock","arguments":{"owner":"sesame"}}`))
		c.Call("write", `{"name":"sesame","text":"sesame"}`)
		c.Call("search", `{}`)
		c.Do(protocol.MethodToolsCall, json.RawMessage(`{"name":"nothing"}`))
		c.Do(protocol.MethodPromptsGet, json.RawMessage(`{"name":"reply","arguments":{"owner":"ann","name":"sesame"}}`))
		c.Subscribe("vault:///letters/ann/first")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		const who = "principal=ann client=mcptest/1 "
		want := []string{
			who + "method=resources/read target=vault:///letters/ann/first decision=allow status=ok duration=0s",
			who + "method=resources/read target=vault:///letters/bob/first decision=deny status=-32602 duration=0s",
			who + "method=tools/call target=lock decision=deny status=-32603 duration=0s",
			who + "method=tools/call target=write decision=allow status=ok duration=0s",
			who + "method=tools/call target=nothing decision=allow status=-32602 duration=0s",
			who + "method=prompts/get target=reply decision=allow status=ok duration=0s",
			who + "method=subscriptions/listen target=vault:///letters/ann/first decision=allow status=ok duration=0s",
			who + "method=tools/call target=search decision=allow status=timeout duration=1m0s",
		}
		got := strings.Split(strings.TrimSpace(srv.audit.String()), "\n")
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, key := range []string{"sesame\""} {
			if strings.Contains(srv.audit.String(), key) {
				t.Errorf("the audit has an argument: %s", key)
			}
		}
	})
}
