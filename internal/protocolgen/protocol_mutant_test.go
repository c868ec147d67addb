package protocolgen

import (
	"encoding/json"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

// mutant changes a schema at random: properties go, get a twin, refer to something else,
// lose or change their type.
type mutant struct {
	*rand.Rand
	defs []string
}

func (m *mutant) change(v any, depth int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			m.change(item, depth+1)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if depth > 1 && m.Intn(60) == 0 {
				m.changeMember(v, key)
			}
			m.change(v[key], depth+1)
		}
	}
}

func (m *mutant) changeMember(v map[string]any, key string) {
	_, object := v[key].(map[string]any)
	switch m.Intn(5) {
	case 0:
		delete(v, key)
	case 1:
		v[key+"New"] = v[key]
	case 2:
		if object {
			v[key] = map[string]any{"$ref": "#/$defs/" + m.defs[m.Intn(len(m.defs))]}
		}
	case 3:
		if object {
			v[key] = map[string]any{}
		}
	case 4:
		if key == "type" && !object {
			v[key] = []string{"string", "integer", "object", "boolean", "array"}[m.Intn(5)]
		}
	}
}

func sortedKeys(v map[string]any) []string {
	var keys []string
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mutate returns the newest committed schema with random changes.
func mutate(t *testing.T, seed int64) []byte {
	t.Helper()
	all := committed(t)
	data, err := os.ReadFile(all[len(all)-1].Path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	defs := doc["$defs"].(map[string]any)
	m := &mutant{rand.New(rand.NewSource(seed)), sortedKeys(defs)}
	m.change(defs, 0)
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestMutants generates from schemas that nobody has seen, alone and after the committed
// ones. The result compiles, or the schema is refused with a position.
func TestMutants(t *testing.T) {
	checker := newTypeChecker(t)
	path := filepath.Join(t.TempDir(), "mutant.json")
	compiled := 0
	for seed := range int64(24) {
		if err := os.WriteFile(path, mutate(t, seed), 0o600); err != nil {
			t.Fatal(err)
		}
		schemas := []SchemaFile{{Path: path, Revision: "2099-01-01"}}
		if seed%2 == 0 {
			schemas = append(committed(t), schemas...)
		}
		r, err := Generate(Options{Schemas: schemas, Package: "protocol"})
		var refused *schema.Error
		switch {
		case errors.As(err, &refused):
			continue
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if _, err := checker.check(r.Files); err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if _, err := Diff("2025-11-25", "2099-01-01="+path); err != nil {
			t.Errorf("seed %d: diff: %v", seed, err)
		}
		compiled++
	}
	if compiled < 12 {
		t.Errorf("only %d mutants compiled; the test mutates too much", compiled)
	}
}
