package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// vector is a text of the format, which other processes, and later versions, open: a change of it is another version.
var vector = struct{ secret, salt, plain, purpose, sealed string }{
	secret:  "0123456789abcdef0123456789abcdef",
	salt:    "abcdefghijklmnopqrstuvwx",
	plain:   "page 2",
	purpose: "cursor",
	sealed: "02e97c3d616162636465666768696a6b6c6d6e6f707172737475767778" +
		"e68d309ed97dfc24c915c8718fbfa14d24f5191d3d64",
}

func TestVector(t *testing.T) {
	b := box(t, []byte(vector.secret))
	b.random = func(salt []byte) { copy(salt, vector.salt) }
	if got := hex.EncodeToString(b.Seal([]byte(vector.plain), []byte(vector.purpose))); got != vector.sealed {
		t.Errorf("sealed as %s", got)
	}
	sealed, _ := hex.DecodeString(vector.sealed)
	plain, err := box(t, []byte(vector.secret)).Open(sealed, []byte(vector.purpose))
	if err != nil || string(plain) != vector.plain {
		t.Errorf("opened as %q, %v", plain, err)
	}
}

// The vector is what RFC 5869 and AES-GCM make of it, step by step.
func TestVectorBySteps(t *testing.T) {
	mac := func(key []byte, parts ...string) []byte {
		h := hmac.New(sha256.New, key)
		for _, p := range parts {
			h.Write([]byte(p))
		}
		return h.Sum(nil)
	}
	pseudo := mac(make([]byte, sha256.Size), vector.secret)
	name := mac(pseudo, "mcpgen seal 2 name", "\x01")[:4]
	info := "mcpgen seal 2 text" + vector.salt
	first := mac(pseudo, info, "\x01")
	second := mac(pseudo, string(first), info, "\x02")
	block, err := aes.NewCipher(first)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	want := append(append([]byte{2}, name...), vector.salt...)
	want = gcm.Seal(want, second[:12], []byte(vector.plain), []byte(vector.purpose))
	if hex.EncodeToString(want) != vector.sealed {
		t.Errorf("want %x", want)
	}
}

// A text that comes back costs its key once; what does not open is not kept.
func TestRecent(t *testing.T) {
	b, other := box(t, first), box(t, first)
	sealed := b.Seal([]byte("x"), nil)
	open := func() { _, _ = other.Open(sealed, nil) }
	bad := append([]byte(nil), sealed...)
	bad[len(bad)-1] ^= 1
	if _, err := other.Open(bad, nil); err == nil || other.slot(sealed[1:headSize]).Load() != nil {
		t.Errorf("kept although it does not open: %v", err)
	}
	open()
	if n := testing.AllocsPerRun(100, open); n > 1 {
		t.Errorf("%v allocations for a text that was opened before, want that of the result", n)
	}
}
