package values

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
)

// tables tell what the generated package has and where the official schemas describe it.
type tables struct {
	p       *ir.Protocol
	schemas []*schema.Schema
	ex      *schema.Exceptions
	structs map[string]*ir.Struct
	unions  map[string]*ir.Union
	enums   map[string]*ir.Enum
	types   map[string]reflect.Type
	places  map[string]map[int]place // by Go name and revision
	core    *tables                  // of an extension: where the types of the core are
	without map[string]string        // of an extension: properties that values lack
	// coreMember is the type of an extension that holds members of unions that are the core's.
	coreMember reflect.Type
}

// place is where a schema describes a struct. The path is one of [validator.Schemas.Validate].
type place struct {
	path string
	node *schema.Node
}

func newTables(t testing.TB) *tables {
	t.Helper()
	schemas, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	ex, err := schema.EmbeddedExceptions()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := schema.EmbeddedDocs()
	if err != nil {
		t.Fatal(err)
	}
	api, err := schema.EmbeddedAPI()
	if err != nil {
		t.Fatal(err)
	}
	r, err := protocolir.Protocol(schemas, protocolir.Tables{Exceptions: ex, Docs: docs, API: api})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Protocol
	b := &tables{p: p, schemas: schemas, ex: ex, structs: map[string]*ir.Struct{}, unions: map[string]*ir.Union{},
		enums: map[string]*ir.Enum{}, types: map[string]reflect.Type{}, places: map[string]map[int]place{}}
	for _, s := range p.Structs {
		b.structs[s.Go], b.places[s.Go] = s, map[int]place{}
	}
	for _, u := range p.Unions {
		b.unions[u.Go] = u
	}
	for _, e := range p.Enums {
		b.enums[e.Go] = e
	}
	for _, m := range structs {
		typ := reflect.TypeOf(m).Elem()
		b.types[typ.Name()] = typ
	}
	for rev := range schemas {
		b.findPlaces(rev)
	}
	return b
}

// findPlaces finds the structs of one revision: as definitions, as params without a definition, and as anonymous
// objects inside of these.
func (b *tables) findPlaces(rev int) {
	byName := map[string]*ir.Struct{}
	for _, s := range b.p.Structs {
		byName[s.Schema] = s
	}
	for _, d := range b.schemas[rev].Defs {
		if len(d.Node.AnyOf) == 0 {
			b.put(byName[b.ex.Alias(d.Name, "struct")], rev, place{d.Name, d.Node})
		}
	}
	for _, d := range b.schemas[rev].Defs {
		if p := d.Node.Property("params"); p != nil && d.Node.Property("method") != nil && p.Node.Ref == "" {
			b.put(byName[b.ex.Alias(d.Name+"Params", "struct")], rev, place{d.Name + "/properties/params", p.Node})
		}
		if p := d.Node.Property("error"); p != nil && len(p.Node.AllOf) == 2 {
			data := p.Node.AllOf[1].Property("data")
			s := byName[strings.TrimSuffix(d.Name, "Error")+"Data"]
			if data != nil && s != nil {
				b.put(s, rev, place{d.Name + "/properties/error/allOf/1/properties/data", data.Node})
			}
		}
	}
}

func (b *tables) put(s *ir.Struct, rev int, at place) {
	if s == nil || !s.Revs.Has(rev) || b.places[s.Go][rev].node != nil {
		return
	}
	b.places[s.Go][rev] = at
	for _, f := range s.Fields {
		p := at.node.Property(f.JSON)
		if f.Type == nil || p == nil {
			continue
		}
		sub := place{at.path + "/properties/" + strings.ReplaceAll(f.JSON, "/", "~1"), p.Node}
		typ := f.Type
		if typ.Kind == ir.KindList && p.Node.Items != nil {
			typ, sub = typ.Elem, place{sub.path + "/items", p.Node.Items}
		}
		if typ.Kind != ir.KindStruct {
			continue
		}
		if ref := sub.node.Ref; ref != "" { // what is anonymous elsewhere has a name of another kind here
			sub = place{ref, b.schemas[rev].Lookup(ref).Node}
		}
		if b.schemas[rev].Lookup(typ.Name) == nil {
			b.put(b.structs[typ.Name], rev, sub)
		}
	}
}

// judged returns a text as the schema at a place describes it: a request that other messages embed gets its frame,
// and params lose _meta where a revision declares that for all requests at once.
func (at place) judged(text []byte) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	for name, frame := range map[string]string{"jsonrpc": `"2.0"`, "id": "1"} {
		if at.node.IsRequired(name) && m[name] == nil {
			m[name] = json.RawMessage(frame)
		}
	}
	if strings.HasSuffix(at.path, "/properties/params") && at.node.Property("_meta") == nil {
		delete(m, "_meta")
	}
	if p := at.node.Property("params"); p != nil && p.Node.Ref == "" && m["params"] != nil {
		inner, err := place{at.path + "/properties/params", p.Node}.judged(m["params"])
		if err != nil {
			return nil, err
		}
		m["params"] = inner
	}
	return json.Marshal(m)
}
