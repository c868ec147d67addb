package examples

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/interop/judge"
	"github.com/mcpgen/mcpgen/schema"
)

const root = "../../.."

// officialDir returns the folder of the official schemas. Without it a test is skipped,
// except in CI.
func officialDir(t *testing.T) string {
	t.Helper()
	dir, err := judge.Dir(root)
	if errors.Is(err, judge.ErrAbsent) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestImportGivesCommittedFacts imports the official files again.
func TestImportGivesCommittedFacts(t *testing.T) {
	dir := officialDir(t)
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

// TestOfficialFilesGenerateTheSame generates from the official files and from the facts.
func TestOfficialFilesGenerateTheSame(t *testing.T) {
	dir := officialDir(t)
	paths, err := filepath.Glob(filepath.Join(dir, "????-??-??", "schema.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas in %s: %v", dir, err)
	}
	var opts gen.ProtocolOptions
	opts.Package = "protocol"
	want, _, err := gen.Protocol(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		opts.Schemas = append(opts.Schemas, gen.SchemaFile{Path: p})
	}
	got, warnings, err := gen.Protocol(opts)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Path != want[i].Path || string(got[i].Data) != string(want[i].Data) {
			t.Errorf("%s differs", got[i].Path)
		}
	}
}
