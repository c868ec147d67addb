package check

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// grammarExamples are directives in the form in which the reference shows them.
var grammarExamples = []struct {
	on   directive.Target
	line string
}{
	{directive.OnMethod, `//mcp:resource uri=notes:///motd mime=text/markdown`},
	{directive.OnVar, `//mcp:annotate audience=user,assistant priority=0.8`},
	{directive.OnVar, `//mcp:icon src=https://example.com/book.svg mime=image/svg+xml sizes=any theme=dark`},
	{directive.OnMethod, `//mcp:resource uri=logs:///{host}/{level}{?since,limit} mime=text/plain list=none`},
	{directive.OnMethod, `//mcp:var since default=-1h`},
	{directive.OnMethod, `//mcp:var limit default=100 min=1 max=1000`},
	{directive.OnMethod, `//mcp:resource uri=docs://tree/{+path} root=Files list=walk directory`},
	{directive.OnStruct, `//mcp:resource uri=config:///settings subscribe`},
	{directive.OnStruct, `//mcp:resource uri=notes:///{id} mime=text/markdown list subscribe`},
	{directive.OnStruct, `//mcp:resource uri=crm:///{region}/{id} source list subscribe poll=30s`},
	{directive.OnStruct, `//mcp:access scopes=crm.read`},
	{directive.OnMethod, `//mcp:list of=Ticket changes`},
	{directive.OnMethod, `//mcp:watch of=Ticket`},
	{directive.OnMethod, `//mcp:complete of=Ticket var=number`},
	{directive.OnMethod, `//mcp:tool name=ticket.close idempotent destructive=false closed ` +
		`updates=tickets:///{project}/{number}`},
	{directive.OnMethod, `//mcp:limit timeout=10s rate=10/m by=user`},
	{directive.OnMethod, `//mcp:prompt title="Review a ticket"`},
	{directive.OnMethod, `//mcp:arg number "desc=Ticket number within the project"`},
	{directive.OnPackage, `//mcp:server name=notes version=v1.4.0 title="Team notes" ` +
		`instructions=@INSTRUCTIONS.md page=200`},
	{directive.OnPackage, `//mcp:cache ttl=30s scope=private`},
	{directive.OnMethod, `//mcp:availability since=v1.2 until=v2.0 proto=2025-11-25.. ` +
		`"deprecated=use reports://v2/{year}/{week}"`},
	{directive.OnMethod, `//mcp:meta com.example/owner=finance`},
	{directive.OnMethod, `//mcp:limit bytes=2MiB concurrency=4`},
	{directive.OnMethod, `//mcp:alias uri=notes:///by-slug/{slug}`},
	{directive.OnMethod, `//mcp:use Audit Trace`},
	{directive.OnMethod, `//mcp:allow MCP702 checked against the index`},
	{directive.OnMethod, `//mcp:toggle`},
	{directive.OnNamed, `//mcp:enum`},
	{directive.OnStruct, `//mcp:form`},
	{directive.OnFunc, `//mcp:type format=uri`},
	{directive.OnVar, `//mcp:app uri=ui://board/cards`},
	{directive.OnVar, `//mcp:skill path=acme/billing`},
	{directive.OnVar, `//mcp:extension id=com.example/l`}, {directive.OnVar, `//mcp:experimental name=preview`},
	{directive.OnStruct, `//mcp:event name=a.opened modes=poll args=F id=ID time=At retain=10m keep=100 poll=5s`},
	{directive.OnMethod, `//mcp:match of=A`}, {directive.OnFunc, `//mcp:shape of=A`},
	{directive.OnMethod, `//mcp:replay of=A`},
	{directive.OnMethod, `//mcp:method extension=Locks name=com.example/locks/acquire undeclared`},
	{directive.OnStruct, `//mcp:notification extension=Locks name=notifications/com.example/locks/released`},
}

// TestGrammarExamples checks one line or more of every directive in the form in which
// the reference shows it: nothing is reported.
func TestGrammarExamples(t *testing.T) {
	t.Attr("requirements", "meta-key-dns")
	seen := map[string]bool{}
	for _, tt := range grammarExamples {
		d, got := check(t, tt.line, tt.on)
		seen[d.Name] = true
		for _, g := range got {
			t.Errorf("%s: %s", tt.line, g)
		}
		if printed := d.String(); printed != tt.line && !strings.Contains(tt.line, ` "`) {
			t.Errorf("%s prints as %s", tt.line, printed)
		}
	}
	for _, v := range directive.Definitions() {
		if !seen[v.Name] {
			t.Errorf("no example of %s", v.Name)
		}
	}
}
