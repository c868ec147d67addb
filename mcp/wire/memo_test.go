package wire

import (
	"fmt"
	"strings"
	"testing"
)

// about and other are structs that stand for what a peer says about itself.
type (
	about struct {
		name  string
		token ID
	}
	other struct{ about }
)

func (a *about) DecodeJSON(d *Decoder, rev int) {
	for d.Object(); d.Next(); {
		if string(d.Name()) == "token" {
			a.token = d.ID()
			continue
		}
		a.name = fmt.Sprint(d.String(), rev)
	}
}

func (a *about) id() *ID { return &a.token }

func TestRecall(t *testing.T) {
	var m Memo
	read := func(text string, rev int) (*about, error) {
		var d Decoder
		d.ResetParams([]byte(text), &m)
		v := Recall(&d, rev, "token", (*about).id)
		if d.Err() == nil && d.pos != len(text) {
			t.Errorf("%s was read up to %d", text, d.pos)
		}
		return v, d.Err()
	}
	first, _ := read(`{"a":"x"}`, 1)
	if again, _ := read(`{"a":"x"}`, 1); again != first || first.name != "x1" {
		t.Errorf("read %p %v, then %p", first, first, again)
	}
	if v, _ := read(`{"a":"x"}`, 2); v.name != "x2" {
		t.Errorf("another revision gives %v", v)
	}
	if v, _ := read(`{"a":"y"}`, 2); v.name != "y2" || first.name != "x1" {
		t.Errorf("another text gives %v, and changes the first to %v", v, first)
	}
	for range 2 {
		if _, err := read(`{"a":7}`, 2); err == nil || err.Error() != "/a: must be a string" {
			t.Errorf("error %v", err)
		}
	}
	d := Decoder{text: []byte(`{"a":"y"}`), memo: &m}
	if v := Recall(&d, 2, "token", (*other).id); v.name != "y2" {
		t.Errorf("another type gives %v", v)
	}
	long := `{"a":"` + strings.Repeat("z", maxMemo) + `"}`
	if _, err := read(long, 1); err != nil || len(m.last.text) > maxMemo {
		t.Errorf("kept %d bytes, error %v", len(m.last.text), err)
	}
}

func TestRecallNeedsNoMemo(t *testing.T) {
	d := NewDecoder([]byte(`{"a":"x"}`))
	if v := Recall(&d, 1, "token", (*about).id); v.name != "x1" || d.Err() != nil {
		t.Errorf("read %v, %v", v, d.Err())
	}
}

// Texts that differ in a token, in more than that, or in nothing: what is recalled is what a Decoder without a Memo
// reads, mistakes included, and values that were read before stay as they are.
func TestRecallOfTokens(t *testing.T) {
	texts := []string{
		`{"a":"x","token":1}`, `{"a":"x","token":2}`, `{"a":"x","token":22}`, `{"a":"x","token":"t"}`,
		`{"a":"x","token":"u\u0041"}`, `{"a":"x","token":{}}`, `{"a":"x","token":1.5}`,
		`{"a":"x","token":null}`, `{"a":"x", "token":2}`, `{"a":"x","token": 2}`, `{"a":"x","token":2 }`,
		`{"a":"x"}`, `{"a":"y","token":1}`, `{"token":1,"a":"x"}`, `{"token":2,"a":"x"}`,
		`{"token":3,"a":"y"}`, `{"token":3}`, `{"token":4}`, `{"token":4,"b":"z"}`, `{}`, `{"a":7,"token":1}`,
		`{"a":"token","b":"1"}`,
	}
	var m Memo
	for _, first := range texts {
		for _, second := range texts {
			var seen []*about
			var want []about
			for _, text := range []string{first, second, first, second} {
				var d, plain Decoder
				d.ResetParams([]byte(text), &m)
				plain.ResetParams([]byte(text), nil)
				got := Recall(&d, 1, "token", (*about).id)
				expected := Recall(&plain, 1, "token", (*about).id)
				if fmt.Sprint(d.Err()) != fmt.Sprint(plain.Err()) {
					t.Fatalf("%s after %s: error %v, want %v", text, first, d.Err(), plain.Err())
				}
				if d.Err() != nil {
					continue
				}
				if d.pos != len(text) {
					t.Fatalf("%s after %s was read up to %d", text, first, d.pos)
				}
				seen, want = append(seen, got), append(want, *expected)
			}
			for i, v := range seen {
				if *v != want[i] {
					t.Fatalf("%s, then %s: value %d is %v, want %v", first, second, i, *v, want[i])
				}
			}
		}
	}
}

func TestRecallOfATokenMakesOneValue(t *testing.T) {
	var m Memo
	text := []byte(`{"a":"x","token":1000000}`)
	n := 0
	allocs := testing.AllocsPerRun(100, func() {
		n++
		copy(text[len(text)-4:], fmt.Append(nil, 100+n%900)[:3])
		var d Decoder
		d.ResetParams(text, &m)
		Recall(&d, 1, "token", (*about).id)
	})
	if allocs > 3 { // the value, and the two that this test makes for its digits
		t.Errorf("%.0f allocations", allocs)
	}
}
