package source

import (
	"testing"
)

func TestTagKey(t *testing.T) {
	tests := []struct{ tag, key, want string }{
		{`json:"a" mcp:"b"`, "mcp", `mcp:"b"`},
		{`json:"mcp:\"x\"" mcp:"b"`, "mcp", `mcp:"b"`},
		{`mcp:"a\"b" x:"y"`, "mcp", `mcp:"a\"b"`},
		{`mcp:""`, "mcp", `mcp:""`},
		{`xmcp:"a" mcp:"a"`, "mcp", `mcp:"a"`},
		{`json:"mcp"`, "mcp", ""},
	}
	for _, tt := range tests {
		got := ""
		if from, to := TagKey(tt.tag, tt.key); from >= 0 {
			got = tt.tag[from:to]
		}
		if got != tt.want {
			t.Errorf("tagKey(%s, %s) = %s, want %s", tt.tag, tt.key, got, tt.want)
		}
	}
}
