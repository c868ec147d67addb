package wire

import (
	"fmt"
	"strings"
	"testing"
)

// about and other are structs that stand for what a peer says about itself.
type (
	about struct{ name string }
	other struct{ about }
)

func (a *about) DecodeJSON(d *Decoder, rev int) {
	for d.Object(); d.Next(); {
		a.name = fmt.Sprint(d.String(), rev)
	}
}

func TestRecall(t *testing.T) {
	var m Memo
	read := func(text string, rev int) (*about, error) {
		var d Decoder
		d.ResetParams([]byte(text), &m)
		v := Recall[about](&d, rev)
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
	if v := Recall[other](&d, 2); v.name != "y2" {
		t.Errorf("another type gives %v", v)
	}
	long := `{"a":"` + strings.Repeat("z", maxMemo) + `"}`
	if _, err := read(long, 1); err != nil || len(m.text) > maxMemo {
		t.Errorf("kept %d bytes, error %v", len(m.text), err)
	}
}

func TestRecallNeedsNoMemo(t *testing.T) {
	d := NewDecoder([]byte(`{"a":"x"}`))
	if v := Recall[about](&d, 1); v.name != "x1" || d.Err() != nil {
		t.Errorf("read %v, %v", v, d.Err())
	}
}
