package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/event"
)

// Spellings of one value have one canonical form, and different values have different ones: subscriptions are told
// apart by it.
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		want  string
		texts []string
	}{
		{`{"a":1,"b":{"c":[1,2],"d":null}}`, []string{
			`{"b":{"d":null,"c":[1,2]},"a":1}`, "\n{ \"a\" : 1.0,\t\"b\": { \"c\": [ 1e0 , 2 ], \"d\" : null } }",
		}},
		{`"é/"`, []string{`"\u00e9\/"`, `"é/"`}},
		{`100`, []string{`1e2`, `100.0`, ` 100 `}},
		{`9007199254740993`, []string{`9007199254740993`}},
		{`9007199254740992`, []string{`9007199254740992`}},
		{`true`, []string{` true `}},
		{`{}`, []string{`{}`, `{ }`}},
		{`[]`, []string{`[ ]`}},
	} {
		for _, text := range c.texts {
			if got := string(Canonical(json.RawMessage(text))); got != c.want {
				t.Errorf("%s: %s, want %s", text, got, c.want)
			}
		}
	}
}

// A principal has so many streams, and leaves places to others before all are taken.
func TestPlaces(t *testing.T) {
	var p places
	p.init(160, 40)
	take := func(who string) (n int, last *event.Error) {
		for last = p.take(who); last == nil; last = p.take(who) {
			n++
		}
		return n, last
	}
	n, f := take("alice")
	if n != 40 || f.Max != 40 || f.Kind != event.ResourceExhausted {
		t.Errorf("%d places, then %+v; want 40, and that this is the limit of each", n, f)
	}
	for i := range 12 {
		if n, f = take(fmt.Sprint(i)); n == 0 {
			t.Errorf("the %d-th principal gets none: %v", i, f)
		}
	}
	if f.Max != 0 {
		t.Errorf("where all places are scarce, a limit of %d is named", f.Max)
	}
	for range 40 {
		p.give("alice")
	}
	if n, _ := take("bob"); n < 10 {
		t.Errorf("of 40 places that were given back bob gets %d", n)
	}
}

// tags returns the tags of those that an event with a service may be for.
func (x *index) tags(t *Type, service string) []any {
	var all []any
	for _, at := range t.placesIn(service) {
		for _, a := range x.in(at) {
			all = x.appendTags(all, a)
		}
	}
	slices.SortFunc(all, func(a, b any) int { return a.(int) - b.(int) })
	return all
}

// An event is looked up by the value that arguments want, and by none. Removing some leaves the others where they are.
func TestIndex(t *testing.T) {
	typ := &Type{
		Name: "incident",
		Filter: func(args []byte) (any, error) {
			var a struct{ Service []string }
			err := json.Unmarshal(args, &a)
			if slices.Contains(a.Service, "") {
				err = errors.New("no service")
			}
			return a.Service, err
		},
		Wants: func(filter any) [][]any {
			var values []any
			for _, s := range filter.([]string) {
				values = append(values, s)
			}
			return [][]any{values}
		},
		Has: func(value any) []any { return []any{value} },
	}
	var x index
	add := func(tag int, args string) bool {
		return x.add(typ, &event.Reader{Name: typ.Name, Arguments: []byte(args)}, tag)
	}
	for tag, args := range []string{
		`{"service":["a"]}`, `{"service":["a","b"]}`, `{}`, `{"service":["a"]}`, `{"service":["b","c","b"]}`,
		`{"service":["a","d"]}`,
	} {
		if !add(tag, args) {
			t.Fatalf("%s is not added", args)
		}
	}
	if add(9, `{"service":[""]}`) {
		t.Error("what is no argument is added")
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		for service, tags := range want {
			if got := fmt.Sprint(x.tags(typ, service)); got != tags {
				t.Errorf("%s: for %s %s, want %s", when, service, got, tags)
			}
		}
	}
	check("at first", map[string]string{"a": "[0 1 2 3 5]", "b": "[1 2 4]", "c": "[2 4]", "z": "[2]"})
	x.remove(0)
	check("one of two with the same", map[string]string{"a": "[1 2 3 5]"})
	x.remove(3)
	x.remove(3)
	check("both", map[string]string{"a": "[1 2 5]", "b": "[1 2 4]", "d": "[2 5]"})
	x.remove(1)
	x.remove(2)
	check("several", map[string]string{"a": "[5]", "b": "[4]", "d": "[5]", "z": "[]"})
	x.remove(4)
	x.remove(5)
	if len(x.byTag)+len(x.byArgs)+len(x.places) != 0 {
		t.Errorf("something is left of all: %v %v %v", x.byTag, x.byArgs, x.places)
	}
}

// No code of the program may fail a subscriber over: an event that could not be judged is for nobody.
func TestPanicIsForNobody(t *testing.T) {
	for name, typ := range map[string]*Type{
		"value": {Value: func([]byte) (any, error) { panic("x") }, Match: func(_, _ any) bool { return true }},
		"match": {
			Value: func([]byte) (any, error) { return 1, nil }, Match: func(_, _ any) bool { panic("x") },
		},
		"shape": {
			Value: func([]byte) (any, error) { return 1, nil },
			Shape: func(*event.Caller, any, any) ([]byte, error) { panic("x") },
		},
	} {
		i := typ.decode(event.Entry{Data: []byte(`{}`)})
		if data, err := typ.shaped(new(Subscriber), i); data != nil || !errors.Is(err, errPanic) {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}

// An encoder may return what it has written before an error. Nobody gets that.
func TestFailedShapeIsForNobody(t *testing.T) {
	failed := errors.New("no JSON")
	typ := &Type{
		Value: func([]byte) (any, error) { return 1, nil },
		Shape: func(*event.Caller, any, any) ([]byte, error) { return []byte(`{"a":`), failed },
	}
	data, err := typ.shaped(new(Subscriber), typ.decode(event.Entry{Data: []byte(`{}`)}))
	if data != nil || !errors.Is(err, failed) {
		t.Errorf("%s, %v", data, err)
	}
}
