package relay

import (
	"bytes"
	"fmt"
	"testing"
)

// A frame is read as it was written, and no prefix of one is a frame. Other versions may add something at the end.
func TestFrame(t *testing.T) {
	for _, f := range []frame{
		{from: origin{1}, epoch: 1, seq: 2},
		{from: origin{1}, flags: flagBye, epoch: 300, seq: 1 << 40, lists: 7,
			signals: []Signal{{Updated, "a:///1"}, {Ended, ""}}},
		{from: origin{2}, flags: flagBeat, epoch: 1, seq: 1, digests: Digests{1, 2}, heard: []origin{{3}, {4}}},
	} {
		b := f.appendTo(nil)
		got, err := parse(b)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(f) {
			t.Errorf("got %v, %v, want %v", got, err, f)
		}
		if f.flags&flagBeat != 0 {
			f.clock, f.age, f.heardAgo = 1_800_000_000_000, 300, []uint64{0, 1 << 40}
			long := f.appendTo(nil)
			if !bytes.HasPrefix(long, b) {
				t.Error("what is new in a beat is not at its end")
			}
			if got, err := parse(append(long, "of a later version"...)); err != nil || fmt.Sprint(got) != fmt.Sprint(f) {
				t.Errorf("got %v, %v, want %v", got, err, f)
			}
		}
		for n := range b {
			if _, err := parse(b[:n]); err == nil {
				t.Errorf("%d bytes of %v are a frame", n, f)
			}
		}
	}
	direct := frame{from: origin{1}, flags: flagDirect, to: origin{9}, payload: []byte("x")}
	if got, err := parse(direct.appendTo(nil)); err != nil || fmt.Sprint(got) != fmt.Sprint(direct) {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzFrame(f *testing.F) {
	x := frame{from: origin{1}, flags: flagBeat, epoch: 1, seq: 1, heard: []origin{{3}}, signals: []Signal{{1, "u"}}}
	f.Add(x.appendTo(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := parse(b)
		if err != nil {
			return
		}
		again, err := parse(x.appendTo(nil))
		if err != nil || fmt.Sprint(x) != fmt.Sprint(again) {
			t.Errorf("%v is %v, %v", x, again, err)
		}
	})
}
