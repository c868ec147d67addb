package wire

import (
	"errors"
	"strings"
	"testing"
)

// part is read as generated code reads a struct.
type part struct {
	n     int8
	name  string
	list  []int
	parts map[string]part
}

func decodePart(d *Decoder, v *part) {
	var seen uint64
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "n":
			v.n = Int[int8](d)
			d.Must(v.n >= 1, "must be at least 1")
			d.Must(v.n%2 == 0, "must be even")
			seen |= 1 << 0
		case "name":
			v.name = d.String()
			OneOf(d, v.name, "a", "b")
			seen |= 1 << 1
		case "list":
			for d.Array(); d.More(); {
				v.list = append(v.list, Int[int](d))
			}
			d.Must(len(v.list) <= 2, "must have at most 2 elements")
		case "parts":
			v.parts = map[string]part{}
			for d.Object(); d.Next(); {
				name := string(d.Name())
				var e part
				decodePart(d, &e)
				v.parts[name] = e
			}
		default:
			d.Fail("unknown")
		}
	}
	d.Require(seen, "n", "name")
}

func TestCollect(t *testing.T) {
	tests := []struct{ text, want string }{
		{`{"n":2,"name":"a"}`, ""},
		{`{}`, "/n: is required; /name: is required"},
		{`[1,{"n":1}]`, "must be an object"},
		{`null`, "must be an object"},
		{`{"n":-1,"name":"c"}`, "/n: must be at least 1; /n: must be even; /name: must be one of a, b"},
		{`{"n":"1","name":null}`, "/n: must be an integer; /name: must be a string"},
		{`{"n":1000,"name":[{"n":{}}],"x":[1,{"n":2}],"y":1}`,
			"/n: is out of range; /name: must be a string; /x: unknown; /y: unknown"},
		{`{"n":2,"name":"a","list":{"n":1},"parts":[1]}`, "/list: must be an array; /parts: must be an object"},
		{`{"list":[1,"2",3,[4],5],"n":2,"name":"a"}`,
			"/list/1: must be an integer; /list/3: must be an integer; /list: must have at most 2 elements"},
		{`{"n":2,"parts":{"p":{"parts":{"q":3,"r":{"n":0}}},"s":[]},"name":"x"}`,
			"/parts/p/parts/q: must be an object; /parts/p/parts/r/n: must be at least 1; /parts/p/parts/r/name: is required; " +
				"/parts/p/n: is required; /parts/p/name: is required; /parts/s: must be an object; /name: must be one of a, b"},
	}
	var d Decoder
	for _, tt := range tests {
		var v part
		d.Collect([]byte(tt.text))
		decodePart(&d, &v)
		got := ""
		if err := d.Err(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
	// What was read in spite of mistakes is there, and mistakes of one text are not those of the next.
	var v part
	d.Collect([]byte(`{"list":[1,"2",3],"n":2,"name":"a"}`))
	decodePart(&d, &v)
	first := d.Err()
	d.Collect([]byte(`{"n":{}}`))
	decodePart(&d, &v)
	if v.n != 0 || len(v.list) != 3 || first == nil ||
		first.Error() != "/list/1: must be an integer; /list: must have at most 2 elements" {
		t.Errorf("read %+v, error %v", v, first)
	}
}

// A flood of mistakes neither takes long nor makes a long text.
func TestCollectIsBounded(t *testing.T) {
	t.Attr("requirements", "schema-bounds")
	long := strings.Repeat("x", 10_000)
	texts := []string{
		`{"list":[` + strings.Repeat(`"",`, 100_000) + `0]}`,
		`{"` + long + `":{"` + long + `":1}` + strings.Repeat(`,"parts":{"`+long+`":{"`+long+`":1}}`, 100) + `}`,
	}
	for _, text := range texts {
		var d Decoder
		d.Collect([]byte(text))
		decodePart(&d, new(part))
		var all *DecodeErrors
		if err := d.Err(); !errors.As(err, &all) || len(all.List) > maxFaults || !all.More ||
			len(err.Error()) > 2*maxFaultText || !strings.HasSuffix(err.Error(), "; and more") {
			t.Errorf("got %d bytes: %.300s", len(err.Error()), err)
		}
	}
}

func FuzzCollect(f *testing.F) {
	f.Add(`{"n":2,"name":"a","list":[1],"parts":{"p":{"n":1}}}`)
	f.Add(`{"n":[{"n":1}],"name":{},"list":{"a":[]},"parts":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if Check([]byte(text), Limits{}) != nil {
			return
		}
		// One mistake at a time, the first that a plain Decoder finds must be among all.
		var all Decoder
		all.Collect([]byte(text))
		one := NewDecoder([]byte(text))
		decodePart(&all, new(part))
		decodePart(&one, new(part))
		if (all.Err() == nil) != (one.Err() == nil) {
			t.Fatalf("%s: all %v, one %v", text, all.Err(), one.Err())
		}
		if one.Err() != nil && !strings.Contains(all.Err().Error(), one.Err().Error()) && len(all.faults) < maxFaults {
			t.Errorf("%s: all %v, one %v", text, all.Err(), one.Err())
		}
		if all.err == nil && len(all.faults) < maxFaults && all.pos != len(strings.TrimRight(text, " \t\r\n")) {
			t.Errorf("%s: stopped at %d", text, all.pos)
		}
	})
}

// Strings of short arguments cost no memory. Those with escapes and those of long ones are copies, so that a short
// string never keeps a long text.
func TestCollectAliases(t *testing.T) {
	read := func(text []byte) (s string) {
		var d Decoder
		d.Collect(text)
		for d.Object(); d.Next(); {
			s = d.String()
		}
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		text    string
		aliases bool
	}{
		{`{"a":"plain"}`, true},
		{`{"a":"es\u0063aped"}`, false},
		{`{"a":"plain"` + strings.Repeat(" ", maxAliased) + `}`, false},
	} {
		text := []byte(c.text)
		s := read(text)
		before := strings.Clone(s)
		for i := range text {
			text[i] = '!'
		}
		if aliases := s != before; aliases != c.aliases {
			t.Errorf("%.20s: a part of the text: %t", c.text, aliases)
		}
	}
}
