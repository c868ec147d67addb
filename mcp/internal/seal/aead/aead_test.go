package aead

import (
	"bytes"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
)

var (
	first  = bytes.Repeat([]byte{1}, 16)
	second = bytes.Repeat([]byte{2}, 40)
)

func box(t *testing.T, secrets ...[]byte) *Box {
	t.Helper()
	b, err := New(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRoundTripAndRotation(t *testing.T) {
	old, rotated, foreign := box(t, first), box(t, second, first), box(t)
	sealed := old.Seal([]byte("page 2"), []byte("cursor"))
	for name, b := range map[string]*Box{"same": old, "rotated": rotated} {
		plain, err := b.Open(sealed, []byte("cursor"))
		if err != nil || string(plain) != "page 2" {
			t.Errorf("%s: got %q, %v", name, plain, err)
		}
	}
	if _, err := foreign.Open(sealed, []byte("cursor")); !errors.Is(err, seal.ErrInvalid) {
		t.Errorf("random key opened it: %v", err)
	}
	if _, err := old.Open(rotated.Seal(nil, nil), nil); !errors.Is(err, seal.ErrInvalid) {
		t.Errorf("the first key must seal, not an older one: %v", err)
	}
	if bytes.Contains(sealed, []byte("page")) {
		t.Error("the text can be read")
	}
	if bytes.Equal(sealed, old.Seal([]byte("page 2"), []byte("cursor"))) {
		t.Error("the same text twice shows that it is the same")
	}
}

func TestTampering(t *testing.T) {
	t.Attr("requirements", "ask-state-integrity")
	b := box(t, first)
	sealed := b.Seal([]byte("x"), []byte("cursor"))
	for i := range sealed {
		bad := bytes.Clone(sealed)
		bad[i] ^= 1
		if _, err := b.Open(bad, []byte("cursor")); !errors.Is(err, seal.ErrInvalid) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := b.Open(sealed[:i], []byte("cursor")); !errors.Is(err, seal.ErrInvalid) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := b.Open(sealed, []byte("state")); !errors.Is(err, seal.ErrInvalid) {
		t.Errorf("opened for another purpose: %v", err)
	}
}

func TestShortSecret(t *testing.T) {
	if _, err := New([][]byte{first, make([]byte, 15)}); err == nil {
		t.Error("a key of 15 bytes was taken")
	}
}
