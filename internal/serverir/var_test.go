package serverir

import (
	"strings"
	"testing"
)

func TestBlankParameters(t *testing.T) {
	const head = "//mcp:server name=m\npackage m\n\nimport \"context\"\n\n"
	tests := []struct{ src, want string }{
		{"//mcp:resource uri=a:///{id} list=none\n//mcp:var id param=_\nfunc F(ctx context.Context, _ string) (string, error) { return \"\", nil }\n",
			"MCP301 at \"_\": no parameter `_` for template variable `id`; parameters are _"},
		{"//mcp:resource uri=a:///{_} list=none\nfunc F(ctx context.Context, _ string) (string, error) { return \"\", nil }\n",
			"MCP301 at \"_\": no parameter for template variable `_`; parameters are _"},
		{"//mcp:resource uri=a:///{_}/{id} list=none\nfunc F(_ context.Context, id string, _ string) (string, error) { return \"\", nil }\n",
			"MCP301 at \"_\": no parameter for template variable `_`; parameters are id, _"},
	}
	for _, tt := range tests {
		_, out := toolsOf(t, head+tt.src, "")
		if got := said(out, head+tt.src); !strings.HasPrefix(got, tt.want+"\n") {
			t.Errorf("%s\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}
