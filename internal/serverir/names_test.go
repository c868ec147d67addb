package serverir

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
		r := &resource{Resource: &ir.Resource{}}
		for param := range strings.FieldsSeq(tt.params) {
			r.Vars = append(r.Vars, &ir.Var{GoName: fieldName(r, param)})
		}
		var got []string
		for _, v := range r.Vars {
			got = append(got, v.GoName)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("fields of %s = %s, want %s", tt.params, got, tt.want)
		}
	}
}

func TestServerNames(t *testing.T) {
	tests := []struct{ name, want string }{
		{"notes", "NotesServer NotesImpl NewNotesServer"},
		{"team-notes", "TeamNotesServer TeamNotesImpl NewTeamNotesServer"},
		{"github-mcp-server", "GithubMCPServer GithubMCPImpl NewGithubMCPServer"},
		{"example.com/notes-server", "NotesServer NotesImpl NewNotesServer"},
		{"server", "ServerServer ServerImpl NewServerServer"},
		{"observer", "ObserverServer ObserverImpl NewObserverServer"},
	}
	for _, tt := range tests {
		n := serverNames(tt.name)
		if got := n.Type + " " + n.Impl + " " + n.New; got != tt.want {
			t.Errorf("names of %s = %s, want %s", tt.name, got, tt.want)
		}
	}
}
