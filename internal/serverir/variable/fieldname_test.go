package variable

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
)

func TestReferenceFields(t *testing.T) {
	tests := []struct {
		params string
		want   string
	}{
		{"id", "ID"},
		{"noteURL baseUrl prNumber", "NoteURL BaseURL PrNumber"},
		{"a_b aB", "AB ABVar"},
		{"title size", "Title Size"},
		{"ref_info refInfo", "Ref_info RefInfoVar"},
		{"naïve", "Naïve"},
	}
	for _, tt := range tests {
		var vars []*ir.Var
		for param := range strings.FieldsSeq(tt.params) {
			vars = append(vars, &ir.Var{GoName: FieldName(vars, param)})
		}
		var got []string
		for _, v := range vars {
			got = append(got, v.GoName)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("fields of %s = %s, want %s", tt.params, got, tt.want)
		}
	}
}
