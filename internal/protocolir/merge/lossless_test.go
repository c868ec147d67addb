package merge

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

var (
	mutationSeed = flag.Int64("mutation-seed", 0, "repeat the mutations of this seed; 0 takes one from the clock")
	mutations    = flag.Int("mutations", 500, "how many changed schemas are merged")
)

// Nothing of a schema is lost without a word: the official schemas, changed at random, are merged alone and as a later
// revision, and what comes out is compared with what the schema says. The seed is printed.
func TestMutationsLoseNothing(t *testing.T) {
	seed := *mutationSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("-mutation-seed %d", seed)
	count := *mutations
	if testing.Short() {
		count /= 10
	}
	random := rand.New(rand.NewSource(seed))
	committed, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../schema/????-??-??.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no schemas", err)
	}
	refused, failed := 0, 0
	for i := range count {
		text := mutateSchema(t, random, files[i%len(files)])
		s, err := schema.Parse("mutant.json", "2099-01-01", text)
		if err != nil {
			refused++ // with a position, as Parse promises
			continue
		}
		set := []*schema.Schema{s}
		if i%2 == 0 {
			set = append(slices.Clone(committed), s)
		}
		for _, lost := range lossesOf(t, set, s) {
			if failed++; failed > 10 {
				t.FailNow()
			}
			t.Errorf("mutation %d of seed %d: %s\n%s", i, seed, lost, lineOf(text, lost))
		}
	}
	t.Logf("%d schemas, %d of them refused", count, refused)
	if refused > count/2 {
		t.Error("too many are refused; the test mutates too much")
	}
}

// lineOf returns the lines at a position, file:line:col.
func lineOf(text []byte, lost string) string {
	var line int
	_, _ = fmt.Sscanf(strings.TrimPrefix(lost, "mutant.json:"), "%d", &line)
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(line-2, 0):min(line+20, len(lines))], "\n")
}

// mutateSchema reads a schema and changes some of its members.
func mutateSchema(t *testing.T, random *rand.Rand, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	defs, ok := doc["$defs"].(map[string]any)
	if !ok {
		defs = doc["definitions"].(map[string]any)
	}
	m := &schemaMutant{random, sortedNames(defs)}
	m.change(defs, 0)
	out, err := json.MarshalIndent(map[string]any{"$defs": defs}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(out), "#/definitions/", "#/$defs/"))
}

type schemaMutant struct {
	*rand.Rand
	defs []string
}

func sortedNames(v map[string]any) []string {
	var out []string
	for name := range v {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (m *schemaMutant) change(v any, depth int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			m.change(item, depth+1)
		}
	case map[string]any:
		for _, key := range sortedNames(v) {
			if depth > 0 && m.Intn(150) == 0 {
				m.changeMember(v, key)
			}
			m.change(v[key], depth+1)
		}
	}
}

func (m *schemaMutant) ref() any {
	return map[string]any{"$ref": "#/$defs/" + m.defs[m.Intn(len(m.defs))]}
}

func (m *schemaMutant) changeMember(v map[string]any, key string) {
	list, isList := v[key].([]any)
	_, isObject := v[key].(map[string]any)
	switch {
	case key == "properties" || key == "$ref":
	case key == "anyOf" && isList:
		v[key] = append(list, []any{m.ref(), map[string]any{"type": "string"},
			map[string]any{"type": "array", "items": m.ref()}}[m.Intn(3)])
	case key == "enum" && isList:
		v[key] = append(list, fmt.Sprintf("value%d", m.Intn(1000)))
	case key == "type" && !isObject && !isList:
		v[key] = []string{"string", "integer", "number", "object", "boolean", "array"}[m.Intn(6)]
	case key == "const":
		v[key] = fmt.Sprintf("const%d", m.Intn(1000))
	case isObject:
		one := v[key]
		v[key] = []any{
			m.ref(), map[string]any{}, map[string]any{"anyOf": []any{one, m.ref()}},
			map[string]any{"anyOf": []any{one, map[string]any{"type": "string"}}},
			map[string]any{"type": "array", "items": one}, map[string]any{"allOf": []any{one, m.ref()}},
		}[m.Intn(6)]
	}
}

// lossesOf merges schemas and lists what s, one of them, says and the result does not.
func lossesOf(t *testing.T, set []*schema.Schema, s *schema.Schema) []string {
	t.Helper()
	ex, err := schema.EmbeddedExceptions()
	if err != nil {
		t.Fatal(err)
	}
	api, err := schema.EmbeddedAPI()
	if err != nil {
		t.Fatal(err)
	}
	r := Run(set, Options{Exceptions: ex, API: api})
	m := r.m
	if len(m.Errs) > 0 {
		return nil
	}
	c := &lossCheck{merge: m, rev: slices.Index(set, s)}
	for _, d := range s.Defs {
		c.definition(d)
	}
	return c.lost
}

type lossCheck struct {
	*merge
	rev  int
	lost []string
}

func (c *lossCheck) losef(n *schema.Node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, w := range c.Warnings {
		if w.Pos == n.Pos {
			return
		}
	}
	c.lost = append(c.lost, n.Pos.String()+": "+text)
}

func (c *lossCheck) definition(d *schema.Def) {
	if c.views[c.rev].LeavesOut(d) {
		return
	}
	switch c.views[c.rev].Class(d.Node) {
	case revision.ClassRole:
		for _, member := range c.views[c.rev].RoleMembers(d.Name) {
			c.method(d, member)
		}
	case revision.ClassStruct:
		c.object(c.defName(c.rev, d.Name), d.Node)
	case revision.ClassUnion, revision.ClassEnum:
		name := c.defName(c.rev, d.Name)
		have := c.Defs[name]
		if have == nil {
			c.losef(d.Node, "%s is not there", d.Name)
			return
		}
		kind := ir.KindUnion
		if have.Kind == revision.Enum {
			kind = ir.KindEnum
		}
		if !c.types.fit.fits(site{rev: c.rev, owner: name, self: true}, d.Node, &merged.Type{Kind: kind, Name: name}, 0) {
			c.losef(d.Node, "%s cannot hold what it may be", d.Name)
		}
		for _, l := range d.Node.Enum {
			if !slices.ContainsFunc(have.Values, func(v merged.Value) bool { return v.Text == l.Text && v.Revs.Has(c.rev) }) {
				c.losef(d.Node, "%s lacks the value %q", d.Name, l.Text)
			}
		}
	}
}

// object compares the members of an object with the fields of a struct.
func (c *lossCheck) object(name string, n *schema.Node) {
	d := c.Defs[name]
	if d == nil || d.Kind != revision.Struct {
		c.losef(n, "struct %s is not there", name)
		return
	}
	for property, p := range c.views[c.rev].Properties(n, 0) {
		i := slices.IndexFunc(d.Fields, func(f *merged.Field) bool { return f.JSON == property && f.Revs.Has(c.rev) })
		if i < 0 {
			c.losef(p.Node, "%s.%s has no field", name, property)
			continue
		}
		f := d.Fields[i]
		at := site{rev: c.rev, owner: name, prop: property, path: name + "." + property}
		if f.Const == "" && !c.types.fit.fits(at, p.Node, f.Type, 0) {
			c.losef(p.Node, "%s.%s cannot hold what it may be: kind %d %s", name, property, f.Type.Kind, f.Type.Name)
		}
		if f.Const != "" && (p.Node.Const == nil || p.Node.Const.Text != f.Const) {
			c.losef(p.Node, "%s.%s is always %q", name, property, f.Const)
		}
		if !c.views[c.rev].Requires(n, property) && f.Required.Has(c.rev) {
			c.losef(p.Node, "%s.%s is required", name, property)
		}
		merged := len(d.Whole[c.rev]) > 1 // with others that do not require it, of which a note tells
		if n.IsRequired(property) && !f.Required.Has(c.rev) && !merged {
			c.losef(p.Node, "%s.%s is not required", name, property)
		}
	}
}

func (c *lossCheck) method(role, d *schema.Def) {
	method := revision.MethodOf(d.Node)
	if method == "" || strings.HasSuffix(role.Name, "Result") {
		return
	}
	for _, x := range c.Methods {
		if x.Name == method && (x.Client | x.Server).Has(c.rev) {
			return
		}
	}
	c.losef(d.Node, "%s of %s is no method", method, role.Name)
}
