package names

import (
	"testing"
)

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
		n := Server(tt.name)
		if got := n.Type + " " + n.Impl + " " + n.New; got != tt.want {
			t.Errorf("names of %s = %s, want %s", tt.name, got, tt.want)
		}
	}
}
