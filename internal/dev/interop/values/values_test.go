package values

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// openValidator returns the schemas to validate by.
func openValidator(t *testing.T) *validator.Schemas {
	t.Helper()
	schemas, err := validator.Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return schemas
}

// rounds is how many values of each type are made in each revision.
const rounds = 12

// revision returns the constant of the revision with this index.
func revision(i int) protocol.Revision { return protocol.Revisions()[i] }

// decode reads text into a new struct of the type of v.
func decode(v message, text []byte, rev protocol.Revision) (message, error) {
	if err := wire.Check(text, wire.Limits{}); err != nil {
		return nil, err
	}
	d := wire.NewDecoder(text)
	back := reflect.New(reflect.TypeOf(v).Elem()).Interface().(message)
	back.DecodeJSON(&d, rev)
	return back, d.Err()
}

func TestTablesAreComplete(t *testing.T) {
	b := newTables(t)
	for _, s := range b.p.Structs {
		if b.types[s.Go] == nil {
			t.Errorf("the table of structs lacks %s", s.Go)
		}
		for rev := range b.schemas {
			key := fmt.Sprintf("%s %s", s.Go, b.schemas[rev].Revision)
			if s.Revs.Has(rev) && b.places[s.Go][rev].node == nil && noPlace[s.Go] == "" {
				t.Errorf("no place in the schema for %s", key)
			}
		}
	}
	for _, u := range b.p.Unions {
		if unions[u.Go].encode == nil {
			t.Errorf("the table of unions lacks %s", u.Go)
		}
	}
}

// noPlace are the structs that some revision has no schema for, with the reason.
var noPlace = map[string]string{}

// TestValues encodes values of every struct in every revision that has it.
func TestValues(t *testing.T) {
	b, schemas := newTables(t), openValidator(t)
	judged := 0
	for _, s := range b.p.Structs {
		for rev := range b.schemas {
			if !s.Revs.Has(rev) {
				continue
			}
			m := &maker{Rand: rand.New(rand.NewSource(int64(rev))), tables: b, rev: rev}
			for i := range rounds {
				m.extra = i%4 == 3
				v := m.pointer(s, 0).Interface().(message)
				judged++
				if err := m.check(schemas, s, v); err != nil {
					t.Errorf("%s in %s: %v", s.Go, b.schemas[rev].Revision, err)
					break
				}
			}
		}
	}
	if judged < 4000 {
		t.Errorf("only %d values were judged", judged)
	}
}

// check encodes, validates, decodes and compares.
func (m *maker) check(schemas *validator.Schemas, s *ir.Struct, v message) error {
	text := v.AppendJSON(nil, revision(m.rev))
	if err := m.validate(schemas, s, text, m.rev); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	back, err := decode(v, text, revision(m.rev))
	if err != nil {
		return fmt.Errorf("does not decode: %w\n%s", err, text)
	}
	if !reflect.DeepEqual(v, back) {
		return fmt.Errorf("%s\ndecodes to what encodes to\n%s", text, back.AppendJSON(nil, revision(m.rev)))
	}
	return nil
}

// validate validates the JSON of a struct in a revision.
func (m *maker) validate(schemas *validator.Schemas, s *ir.Struct, text []byte, rev int) error {
	at := m.places[s.Go][rev]
	if at.node == nil {
		return nil
	}
	framed, err := at.judged(text)
	if err != nil {
		return err
	}
	return schemas.Validate(m.schemas[rev].Revision, at.path, framed, m.extra)
}

// TestUnions encodes members of every union through its own functions.
func TestUnions(t *testing.T) {
	b, schemas := newTables(t), openValidator(t)
	for _, u := range b.p.Unions {
		for rev := range b.schemas {
			if !u.Revs.Has(rev) {
				continue
			}
			m := &maker{Rand: rand.New(rand.NewSource(int64(rev))), tables: b, rev: rev}
			date, c := b.schemas[rev].Revision, unions[u.Go]
			for range 4 * rounds {
				v := m.member(u, 0).Interface()
				text := c.encode(nil, revision(rev), v)
				if d := b.schemas[rev].Lookup(u.Schema); d != nil && len(d.Node.AnyOf) > 0 {
					if err := schemas.Validate(date, u.Schema, text, false); err != nil {
						t.Errorf("%s in %s: %v\n%s", u.Go, date, err, text)
					}
				}
				d := wire.NewDecoder(text)
				if back := c.decode(&d, revision(rev)); d.Err() != nil || !reflect.DeepEqual(v, back) {
					t.Errorf("%s in %s: %T decodes to %T (%v)\n%s", u.Go, date, v, back, d.Err(), text)
				}
			}
		}
	}
}

// TestOlder encodes values of the newest revision that has a struct for each older one that has it too.
func TestOlder(t *testing.T) {
	b, schemas := newTables(t), openValidator(t)
	for _, s := range b.p.Structs {
		newest := s.Revs.Last()
		for rev := range newest {
			if !s.Revs.Has(rev) {
				continue
			}
			m := &maker{Rand: rand.New(rand.NewSource(int64(rev))), tables: b, rev: newest, plain: true}
			for range rounds {
				v := m.pointer(s, 0).Interface().(message)
				text := v.AppendJSON(nil, revision(rev))
				err := m.validate(schemas, s, text, rev)
				if err == nil {
					_, err = decode(v, text, revision(rev))
				}
				if err != nil {
					t.Errorf("%s of %s in %s: %v\n%s", s.Go, b.schemas[newest].Revision, b.schemas[rev].Revision, err, text)
					break
				}
			}
		}
	}
}
