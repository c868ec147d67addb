package shared

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/sessions"
	"github.com/mcpgen/mcpgen/mcp/replica"
)

func newSealedIDs(t testing.TB) *sealedIDs {
	t.Helper()
	box, err := aead.New([][]byte{[]byte("a key of sixteen bytes")})
	if err != nil {
		t.Fatal(err)
	}
	return &sealedIDs{box: box, name: "server", lifetime: time.Hour}
}

func TestRecords(t *testing.T) {
	s := newSealedIDs(t)
	k := sessions.KeyOf("an id")
	if back, ok := sessions.ParseKey(k.Text()); !ok || back != k || len(k.Text()) > replica.MaxID {
		t.Errorf("%q is the key %v", k.Text(), back)
	}
	for _, text := range []string{"", "x", k.Text() + "A", k.Text()[1:], "="} {
		if _, ok := sessions.ParseKey(text); ok {
			t.Errorf("%q is a key", text)
		}
	}
	for _, uris := range [][]string{nil, {""}, {"a", "ä:///" + strings.Repeat("x", 1000)}} {
		want := record{
			state: session.State{Revision: protocol.Revision20250618, Capabilities: call.Roots | call.Sampling,
				Client: "client 1"},
			subject: hashSubject("ann"), issued: time.Unix(1_700_000_000, 0), level: slog.LevelWarn, holder: "r", uris: uris,
		}
		sealed, ok := s.sealRecord(k, &want)
		if got, opens := s.openRecord(k, sealed); !ok || !opens || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
		if _, ok := s.openRecord(sessions.KeyOf("another id"), sealed); ok {
			t.Error("the record of one session stands for another")
		}
		for i := range sealed {
			forged := bytes.Clone(sealed)
			forged[i]++
			if _, ok := s.openRecord(k, forged); ok {
				t.Fatalf("byte %d may be changed", i)
			}
		}
	}
	with := record{state: session.State{Revision: protocol.Revision20250618, Client: "c",
		Extensions: []feature.DeclaredExtension{{Key: 7}, {Key: 1 << 31, Settings: `{"a":1}`}}}}
	sealed, _ := s.sealRecord(k, &with)
	if got, ok := s.openRecord(k, sealed); !ok || !reflect.DeepEqual(got.state, with.state) {
		t.Errorf("%+v, want %+v", got, with)
	}
	large := record{uris: []string{strings.Repeat("x", replica.MaxRecord)}}
	if _, ok := s.sealRecord(k, &large); ok {
		t.Error("a record of any size")
	}
	large.uris[0] = large.uris[0][:replica.MaxRecord-200]
	if sealed, ok := s.sealRecord(k, &large); !ok || len(sealed) > replica.MaxRecord {
		t.Errorf("%d bytes", len(sealed))
	}
}

// FuzzRecord gives the reader of records any text, as one of an unknown version would be.
func FuzzRecord(f *testing.F) {
	s := newSealedIDs(f)
	k := sessions.KeyOf("an id")
	r := record{state: session.State{Revision: protocol.Revision20241105}, uris: []string{"a", "b"}}
	sealed, _ := s.sealRecord(k, &r)
	plain, err := s.box.Open(sealed, s.recordPurpose(k))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, plain []byte) {
		r, ok := s.openRecord(k, s.box.Seal(plain, s.recordPurpose(k)))
		if !ok {
			return
		}
		sealed, ok := s.sealRecord(k, &r)
		if !ok || len(r.state.Client) > maxClientID {
			return
		}
		again, ok := s.openRecord(k, sealed)
		if !ok || len(again.uris) != len(r.uris) || again.holder != r.holder || again.level != r.level {
			t.Errorf("%+v, then %+v", r, again)
		}
	})
}

func TestTombstones(t *testing.T) {
	var ended tombstones
	now := time.Unix(1_700_000_000, 0)
	key := func(n int) (k sessions.Key) {
		k[0], k[1], k[2] = byte(n), byte(n>>8), byte(n>>16)
		return k
	}
	for n := range 2 * maxTombstones {
		if !ended.add(key(n), now, time.Hour) {
			t.Fatalf("one was forgotten for the %dth", n)
		}
	}
	if !ended.has(key(0)) || !ended.has(key(2*maxTombstones-1)) || ended.has(key(1<<23)) {
		t.Error("forgotten too early")
	}
	if ended.add(key(1<<22), now, time.Hour) || len(ended.old)+len(ended.new) > 2*maxTombstones {
		t.Errorf("%d are remembered", len(ended.old)+len(ended.new))
	}
	for n := range 3 { // they go with time
		ended.add(key(n+1<<23), now.Add(time.Duration(n+1)*time.Hour), time.Hour)
	}
	if len(ended.old)+len(ended.new) > 2 {
		t.Errorf("%d are remembered", len(ended.old)+len(ended.new))
	}
}
