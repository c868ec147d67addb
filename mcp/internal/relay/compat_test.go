package relay

import (
	"encoding/hex"
	"fmt"
	"testing"
)

// Frames of the release of 2026-11-23: plain, and one sealed with testBox for the server "test".
var recorded = []struct {
	frame frame
	hex   string
}{
	{frame{
		from: origin{2, 7}, flags: flagBeat | flagAsks, epoch: 3, seq: 300, lists: 5, digests: Digests{1, 2},
		heard: []origin{{3}, {4}}, signals: []Signal{{Updated, "a:///1"}, {Ended, ""}},
	}, "01110207000000000000000000000000000003ac02050000000000000001000000000000000202030000000000000000000000000000000" +
		"4000000000000000000000000000000020106613a2f2f2f310500"},
	{frame{from: origin{2, 7}, flags: flagBye, epoch: 3, seq: 301}, "01020207000000000000000000000000000003ad020000"},
	{frame{from: origin{2, 7}, flags: flagDirect, to: origin{9}, payload: []byte("hello")},
		"0104020700000000000000000000000000000900000000000000000000000000000068656c6c6f"},
}

const recordedSealed = "024016bdf0f89e1f2dc410a3955a7f745cc6e46539b82d71e956f4d877eb9a77636d98359e63cd4f7bb46bf493b5ed5a" +
	"04f3f7177ff4d50f6a6576fbc23b7b5bfa2b67df"

// Frames of an older release are read, and one of this release is the same with something added at the end, where the
// older one does not look: so both run side by side.
func TestFramesOfOlderRelease(t *testing.T) {
	for _, r := range recorded {
		b, err := hex.DecodeString(r.hex)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parse(b); err != nil || fmt.Sprint(got) != fmt.Sprint(r.frame) {
			t.Errorf("read %v, %v; want %v", got, err, r.frame)
		}
		r.frame.clock, r.frame.age, r.frame.heardAgo = 1_800_000_000_000, 300, []uint64{1, 2}
		if got := hex.EncodeToString(r.frame.appendTo(nil)); got[:len(r.hex)] != r.hex {
			t.Errorf("written as %s, want it to begin with %s", got, r.hex)
		}
	}
	sealed, err := hex.DecodeString(recordedSealed)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := testBox.Open(sealed, []byte("btest"))
	if got := hex.EncodeToString(plain); err != nil || got != recorded[1].hex {
		t.Errorf("opened as %s, %v", got, err)
	}
}
