package call

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/canonical"
	"github.com/mcpgen/mcpgen/mcp/internal/seal/aead"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func newShared(t testing.TB) *Shared {
	t.Helper()
	box, err := aead.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Shared{Name: "x", Seal: box}
}

func FuzzRequestState(f *testing.F) {
	s := newShared(f)
	purpose := []byte("p")
	now := time.Unix(1_000_000, 0)
	good := s.sealState(wire.Map[json.RawMessage]{{Name: "k", Value: json.RawMessage(`{"roots":[]}`)}}, purpose, now)
	f.Add(good, []byte("x"))
	f.Add("", []byte{})
	f.Fuzz(func(t *testing.T, text string, plain []byte) {
		if _, err := s.openState(text, purpose, now); err == nil && text != good {
			t.Errorf("%q opens", text)
		}
		sealed := s.Seal.Seal(plain, purpose) // by somebody who has the key
		_, _ = s.openState(base64.RawURLEncoding.EncodeToString(sealed), purpose, now)
	})
}

func TestRequestStateIsOfOneCaller(t *testing.T) {
	t.Attr("requirements", "ask-state-caller ask-user-state practice-handle practice-user")
	s := newShared(t)
	of := func(subject string) []byte {
		c := &Call{req: Request{Conn: &Conn{Shared: s}, Responder: &HTTPExchange{Caller: Caller{Subject: subject}},
			Target: "greet"}, named: true}
		return c.statePurpose([]byte("tools/call"), []byte("{}"))
	}
	until := time.Unix(2000, 0)
	state := s.sealState(nil, of("ada"), until)
	if _, err := s.openState(state, of("ada"), until); err != nil {
		t.Errorf("the caller's own state: %v", err)
	}
	if _, err := s.openState(state, of("eve"), until); !errors.Is(err, ErrState) {
		t.Errorf("the state of another caller: %v", err)
	}
}

func TestCanonical(t *testing.T) {
	t.Attr("requirements", "ask-state-request")
	const want = `{"":[],"a":[1.50,{"b":null,"c":"é\"/"}],"z":{}}`
	for _, text := range []string{
		want, ` { "z" : { } , "a" : [ 1.50 , {"c":"\u00e9\u0022\/","b":null} ] , "" : [ ] } `,
	} {
		if got := string(canonical.Append(nil, []byte(text), asWritten)); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
	if got := canonical.Append(nil, nil, asWritten); len(got) != 0 {
		t.Errorf("nothing: got %s", got)
	}
}
