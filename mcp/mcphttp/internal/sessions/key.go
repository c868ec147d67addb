package sessions

import (
	"crypto/sha256"
	"encoding/base64"
)

// Key names a session to other processes and to a store, without being its id.
type Key [16]byte

// KeyOf returns the key of the session with an id.
func KeyOf(id string) (k Key) {
	sum := sha256.Sum256([]byte("session key\x00" + id))
	copy(k[:], sum[:])
	return k
}

// Text returns the key as text: in signals between processes, and as the id of a record.
func (k Key) Text() string { return base64.RawURLEncoding.EncodeToString(k[:]) }

// ParseKey is the reverse of Text.
func ParseKey(text string) (k Key, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	return k, err == nil && copy(k[:], b) == len(k) && len(b) == len(k)
}
