package goname

import "testing"

func TestOf(t *testing.T) {
	tests := map[string]string{
		"nextCursor": "NextCursor", "JSONRPCError": "JSONRPCError", "input_required": "InputRequired",
		"tools/call": "ToolsCall",
		"uris":       "URIs", "example.com/id": "ID", "_meta": "Meta", "$ref": "Ref", "": "X", "1st": "X1st",
	}
	for name, want := range tests {
		if got := Of(name); got != want {
			t.Errorf("Of(%q) = %q, want %q", name, got, want)
		}
	}
}
