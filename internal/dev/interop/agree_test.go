package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/schema"
)

// withProse returns the official schemas, or where those are absent the facts with prose that is made up.
func withProse(t *testing.T) *validator.Schemas {
	t.Helper()
	dir, err := validator.Dir(root)
	if err == nil {
		return validator.Official(dir, root)
	}
	if !errors.Is(err, validator.ErrAbsent) {
		t.Fatal(err)
	}
	dir = t.TempDir()
	facts, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range facts {
		text, err := os.ReadFile(filepath.Join(root, "schema", s.Revision+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = validator.Dress(text); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, s.Revision), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.Revision, "schema.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return validator.Official(dir, root)
}

// TestJudgesAgree: the committed facts and the official schemas give the same verdict on every message of the golden
// transcripts, and on each of them with one member taken away, renamed or given another type.
func TestJudgesAgree(t *testing.T) {
	facts, official := validator.Facts(root), withProse(t)
	files, err := filepath.Glob(filepath.Join(root, "golden/*/testdata/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in golden/*/testdata: %v", err)
	}
	var messages, refused int
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range archive.Files {
			if !strings.HasSuffix(section.Name, ".wire") {
				continue
			}
			revision := sectionRevision.FindString(section.Name)
			if revision == "" {
				revision = "2025-11-25"
			}
			a := &agreement{t: t, name: filepath.Base(file) + "/" + section.Name, facts: facts.Session(revision),
				official: official.Session(revision)}
			assumeDeclared(a.facts, archive)
			assumeDeclared(a.official, archive)
			a.transcript(string(section.Data))
			messages, refused = messages+a.messages, refused+a.refused
		}
	}
	if messages < 3000 || refused < messages/4 {
		t.Errorf("%d messages were judged and %d of them refused, which says little", messages, refused)
	}
}

// agreement compares two validators on one transcript.
type agreement struct {
	t                 *testing.T
	name              string
	facts, official   *validator.Session
	messages, refused int
}

func (a *agreement) transcript(text string) {
	var asked string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if msg, ok := strings.CutPrefix(line, "-> "); ok {
			asked = msg
			a.same(msg, a.facts.CheckClient([]byte(msg)), a.official.CheckClient([]byte(msg)))
		}
		if msg, ok := strings.CutPrefix(line, "<- "); ok {
			a.same(msg, a.facts.FromServer([]byte(msg)), a.official.FromServer([]byte(msg)))
			if strings.Contains(msg, `"protocolVersion"`) {
				continue // a spoiled one would settle on no revision
			}
			for _, m := range spoiled(msg) {
				a.facts.FromClient([]byte(asked)) // an answer is taken once only
				a.official.FromClient([]byte(asked))
				a.same(m, a.facts.FromServer([]byte(m)), a.official.FromServer([]byte(m)))
			}
		}
	}
}

func (a *agreement) same(msg string, facts, official error) {
	a.messages++
	if facts != nil {
		a.refused++
	}
	if (facts == nil) != (official == nil) {
		a.t.Errorf("%s: by the facts: %v\nby the official schema: %v\n%s", a.name, facts, official, msg)
	}
}

// spoiled returns a message with one change at each of its first members: gone, renamed, of another type.
func spoiled(msg string) []string {
	const most = 3
	var out []string
	for i := range most {
		for change := range 3 {
			var v any
			dec := json.NewDecoder(strings.NewReader(msg))
			dec.UseNumber()
			if dec.Decode(&v) != nil {
				return out
			}
			n := i
			if !spoil(v, &n, change) {
				return out
			}
			var b bytes.Buffer
			if err := json.NewEncoder(&b).Encode(v); err == nil {
				out = append(out, strings.TrimSpace(b.String()))
			}
		}
	}
	return out
}

// spoil changes member number n of the tree and reports whether there is one.
func spoil(v any, n *int, change int) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if spoil(e, n, change) {
				return true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if *n > 0 {
				*n--
				if spoil(v[name], n, change) {
					return true
				}
				continue
			}
			old := v[name]
			delete(v, name)
			switch change {
			case 1:
				v[name+"X"] = old
			case 2:
				v[name] = []any{old}
			}
			return true
		}
	}
	return false
}
