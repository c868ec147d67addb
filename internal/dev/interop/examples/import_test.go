package examples

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/internal/protocolgen"
	"github.com/mcpgen/mcpgen/schema"
)

const root = "../../../.."

// officialDir returns the folder of the official schemas, or "" where they are absent.
func officialDir(t *testing.T) string {
	t.Helper()
	dir, err := validator.Dir(root)
	if err != nil && !errors.Is(err, validator.ErrAbsent) {
		t.Fatal(err)
	}
	return dir
}

// withProse returns a folder of schemas with prose: the official ones, or where those are absent the facts with prose
// that is made up.
func withProse(t *testing.T) string {
	t.Helper()
	if dir := officialDir(t); dir != "" {
		return dir
	}
	return dressed(t)
}

// dressed returns a folder of the facts with made-up prose.
func dressed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	paths, err := filepath.Glob(filepath.Join(root, "schema", "????-??-??.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no facts: %v", err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = validator.Dress(text); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, strings.TrimSuffix(filepath.Base(p), ".json"))
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "schema.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestImportGivesCommittedFacts imports files with prose again: made-up prose, and the official files where they are.
func TestImportGivesCommittedFacts(t *testing.T) {
	importAgain(t, dressed(t))
	if dir := officialDir(t); dir != "" {
		importAgain(t, dir)
	}
}

func importAgain(t *testing.T, dir string) {
	t.Helper()
	facts, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range facts {
		official := filepath.Join(dir, s.Revision, "schema.json")
		data, err := os.ReadFile(official)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.Import(official, data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(root, "schema", s.Revision+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("schema/%s.json is not what schema import makes of %s", s.Revision, official)
		}
	}
}

// TestOfficialFilesGenerateTheSame generates from files with prose and from the facts.
func TestOfficialFilesGenerateTheSame(t *testing.T) {
	dir := withProse(t)
	paths, err := filepath.Glob(filepath.Join(dir, "????-??-??", "schema.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas in %s: %v", dir, err)
	}
	var opts protocolgen.Options
	opts.Package = "protocol"
	want, err := protocolgen.Generate(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		opts.Schemas = append(opts.Schemas, protocolgen.SchemaFile{Path: p})
	}
	got, err := protocolgen.Generate(opts)
	if err != nil || len(got.Warnings) > 0 {
		t.Fatal(err, got)
	}
	if len(got.Files) != len(want.Files) {
		t.Fatalf("%d files, want %d", len(got.Files), len(want.Files))
	}
	for i, f := range got.Files {
		if f.Path != want.Files[i].Path || string(f.Data) != string(want.Files[i].Data) {
			t.Errorf("%s differs", f.Path)
		}
	}
}
