package interop

import (
	"reflect"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/golden/everything"
	"github.com/mcpgen/mcpgen/golden/search"
)

// extensionReport is what ts/extensions.mjs prints.
type extensionReport struct {
	Experimental, Extensions *search.Settings
	Hits                     search.Hits
	Size, Open               search.Size
	Invalid, Unknown         int
	Undeclared               int
	Skills                   *skillReport
}

// skillReport is what the client for skills has found.
type skillReport struct {
	Supported               bool
	Names, Files, Directory []string
	Got                     string
}

// TestTypeScriptExtensions calls an extension of a program with both versions of the TypeScript SDK, which know nothing
// of it, in both eras, and reads skills with the client for them that version 2 has.
func TestTypeScriptExtensions(t *testing.T) {
	needTS(t)
	for _, tt := range []struct {
		sdk, revision, member string
		undeclared            int
		stdio                 bool
	}{
		{"v1", "2025-11-25", "extensions", -32601, true},
		{"v1", "2025-11-25", "experimental", -32601, false},
		{"v2", "2025-11-25", "experimental", -32601, true},
		{"v2", "2026-07-28", "extensions", -32021, true},
		{"v2", "2026-07-28", "extensions", -32021, false},
	} {
		name := tt.sdk + " " + tt.revision + " " + tt.member + " http"
		if tt.stdio {
			name = tt.sdk + " " + tt.revision + " " + tt.member + " stdio"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r extensionReport
			targets := extensionTargets(t, tt.stdio)
			runNode(t, &r, "extensions.mjs", slices.Concat([]string{tt.sdk, tt.revision, tt.member}, targets)...)
			checkExtension(t, &r)
			settings := &search.Settings{MaxHits: 10, Languages: []string{"en"}}
			if tt.revision == "2026-07-28" {
				if r.Experimental != nil {
					t.Errorf("declared as experimental too: %+v", r.Experimental)
				}
				r.Experimental = settings
			}
			if !reflect.DeepEqual(r.Experimental, settings) || !reflect.DeepEqual(r.Extensions, settings) {
				t.Errorf("settings %+v and %+v, want %+v", r.Experimental, r.Extensions, settings)
			}
			if r.Undeclared != tt.undeclared {
				t.Errorf("a client that has not declared it gets %d, want %d", r.Undeclared, tt.undeclared)
			}
			if tt.sdk == "v2" {
				checkSkills(t, r.Skills)
			}
		})
	}
}

// extensionTargets are golden/search and golden/everything, as programs on stdio or as URLs.
func extensionTargets(t *testing.T, stdio bool) []string {
	t.Helper()
	if stdio {
		return []string{build(t, "golden/search/cmd/search"), build(t, "golden/everything/cmd/everything")}
	}
	pages := search.NewIndex(search.Page{Name: "start", Text: "welcome to the pages"},
		search.Page{Name: "help", Text: "how to search the pages"})
	found, err := search.NewSearchServer(search.SearchImpl{Index: pages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := everything.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return []string{serveHTTP(t, found), serveHTTP(t, all)}
}

// checkExtension checks what a client got from the extension.
func checkExtension(t *testing.T, r *extensionReport) {
	t.Helper()
	want := search.Hits{Pages: []search.Hit{{Name: "help", Opened: 1}, {Name: "start"}}}
	if !reflect.DeepEqual(r.Hits, want) || r.Size.Pages != 2 || r.Open.Pages != 2 {
		t.Errorf("hits %+v, want %+v; sizes %+v and %+v", r.Hits, want, r.Size, r.Open)
	}
	if r.Invalid != -32602 || r.Unknown != -32601 && r.Unknown != 404 {
		t.Errorf("invalid params give %d, an unknown method %d", r.Invalid, r.Unknown)
	}
}

// checkSkills checks what the client for skills has listed, read and verified.
func checkSkills(t *testing.T, r *skillReport) {
	t.Helper()
	const notes, triage = "skill://release-notes", "skill://team/triage/SKILL.md"
	want := &skillReport{
		Supported: true, Got: triage,
		Names: []string{"release-notes true", "triage true"},
		Files: []string{notes + "/SKILL.md true", notes + "/templates/major.md true", notes + "/templates/minor.md true",
			triage + " true"},
		Directory: []string{notes + "/SKILL.md", notes + "/templates"},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("skills %+v, want %+v", r, want)
	}
}
