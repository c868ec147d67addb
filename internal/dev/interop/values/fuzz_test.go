package values

import (
	"bytes"
	"io"
	"math/rand"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// readable says whether the oracle reads the text as one value.
func readable(text []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := d.ReadValue(); err != nil {
		return false
	}
	_, err := d.ReadToken()
	return err == io.EOF
}

// FuzzStructs reads any text as any generated struct, in any revision. What is understood is written as JSON that the
// oracle reads, and reads back as itself.
func FuzzStructs(f *testing.F) {
	b := newTables(f)
	for i, s := range b.p.Structs {
		rev := s.Revs.Last()
		m := &maker{Rand: rand.New(rand.NewSource(int64(i))), tables: b, rev: rev, extra: i%2 == 0}
		f.Add(uint8(indexOf(b.types[s.Go])), uint8(rev), m.pointer(s, 0).Interface().(message).AppendJSON(nil, revision(rev)))
	}
	f.Fuzz(func(t *testing.T, kind, rev uint8, text []byte) {
		v := structs[int(kind)%len(structs)]
		r := revision(int(rev) % len(protocol.Revisions()))
		first, err := decode(v, text, r)
		if err != nil {
			return
		}
		once := first.AppendJSON(nil, r)
		if !readable(once) {
			t.Fatalf("%T in %s: %s\nis written as %s", v, r, text, once)
		}
		second, err := decode(v, once, r)
		if err != nil {
			t.Fatalf("%T in %s: %v\n%s\n%s", v, r, err, text, once)
		}
		if twice := second.AppendJSON(nil, r); !bytes.Equal(once, twice) {
			t.Fatalf("%T in %s: written as\n%s\nthen as\n%s", v, r, once, twice)
		}
	})
}

// indexOf is the place of a type in structs.
func indexOf(t reflect.Type) int {
	for i, s := range structs {
		if reflect.TypeOf(s).Elem() == t {
			return i
		}
	}
	return 0
}

// FuzzUnions does the same with every union.
func FuzzUnions(f *testing.F) {
	b := newTables(f)
	for i, u := range b.p.Unions {
		rev := u.Revs.Last()
		m := &maker{Rand: rand.New(rand.NewSource(int64(i))), tables: b, rev: rev}
		f.Add(uint8(i), uint8(rev), unions[u.Go].encode(nil, revision(rev), m.member(u, 0).Interface()))
	}
	f.Fuzz(func(t *testing.T, kind, rev uint8, text []byte) {
		c := unions[b.p.Unions[int(kind)%len(b.p.Unions)].Go]
		r := revision(int(rev) % len(protocol.Revisions()))
		if wire.Check(text, wire.Limits{}) != nil {
			return
		}
		d := wire.NewDecoder(text)
		first := c.decode(&d, r)
		if d.Err() != nil {
			return
		}
		once := c.encode(nil, r, first)
		if !readable(once) {
			t.Fatalf("%T in %s: %s\nis written as %s", first, r, text, once)
		}
		d = wire.NewDecoder(once)
		second := c.decode(&d, r)
		if d.Err() != nil {
			t.Fatalf("%T in %s: %v\n%s\n%s", first, r, d.Err(), text, once)
		}
		if twice := c.encode(nil, r, second); !bytes.Equal(once, twice) {
			t.Fatalf("%T in %s: written as\n%s\nthen as\n%s", first, r, once, twice)
		}
	})
}
