package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func open(t *testing.T, b Box, sealed []byte, purpose string) (string, bool) {
	t.Helper()
	plain, err := b.Open(sealed, []byte(purpose))
	if err != nil && !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
	return string(plain), err == nil
}

func TestKept(t *testing.T) {
	t.Attr("requirements", "ask-state-integrity")
	b, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	plain := []byte("page 2")
	sealed := b.Seal(plain, []byte("cursor"))
	plain[0] = 'x'
	for range 2 {
		if got, ok := open(t, b, sealed, "cursor"); !ok || got != "page 2" {
			t.Errorf("opened as %q, %v", got, ok)
		}
	}
	if _, ok := open(t, b, sealed, "state"); ok {
		t.Error("opened for another purpose")
	}
	if bytes.Contains(sealed, []byte("page")) || bytes.Equal(sealed, b.Seal([]byte("page 2"), []byte("cursor"))) {
		t.Error("what is sealed shows something")
	}
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, ok := open(t, b, bad, "cursor"); ok {
			t.Errorf("byte %d changed: opened", i)
		}
	}
	if _, ok := open(t, newKept(), sealed, "cursor"); ok {
		t.Error("another process opens it")
	}
	if len(sealed) < 16 || Name(Encode(sealed)) != Encode(sealed) {
		t.Errorf("the name of %x is %s", sealed, Name(Encode(sealed)))
	}
}

// What clients are given is bounded: the oldest does not open any more.
func TestKeptIsBounded(t *testing.T) {
	b := newKept()
	first := b.Seal([]byte("first"), nil)
	second := b.Seal([]byte("second"), nil)
	for range mostKept - 1 {
		b.Seal([]byte("x"), nil)
	}
	if _, ok := open(t, b, first, ""); ok {
		t.Error("the oldest is kept")
	}
	if got, ok := open(t, b, second, ""); !ok || got != "second" {
		t.Errorf("the second is %q, %v", got, ok)
	}
	large := bytes.Repeat([]byte("x"), mostKeptBytes/2)
	b.Seal(large, nil)
	last := b.Seal(large, nil)
	if len(b.names) != 2 || len(b.texts) != 2 || b.bytes != mostKeptBytes {
		t.Errorf("%d names, %d texts, %d bytes", len(b.names), len(b.texts), b.bytes)
	}
	if got, ok := open(t, b, last, ""); !ok || len(got) != len(large) {
		t.Errorf("%d bytes, %v", len(got), ok)
	}
}

func TestKeysWithoutEncryption(t *testing.T) {
	_, err := New([][]byte{make([]byte, 32)})
	if err == nil || !strings.Contains(err.Error(), "mcpgen/mcp/keys") {
		t.Errorf("got %v", err)
	}
}
