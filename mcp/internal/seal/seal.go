// Package seal encrypts what a server hands to clients and takes back, so that they can neither
// read nor change it: cursors, for now.
//
// A sealed text is a byte for the version of the format, 4 bytes that name the key, a nonce of 12
// bytes, and AES-256-GCM with a tag of 16 bytes. All processes that share a key open each other's
// texts. What is sealed for one purpose does not open for another.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
)

const (
	version   = 1
	keyIDSize = 4
	nonceSize = 12
	minSecret = 16
	headSize  = 1 + keyIDSize
)

// ErrInvalid is returned for every text that does not open. It does not say why.
var ErrInvalid = errors.New("seal: not a sealed text, or sealed for something else")

// Box seals and opens. It is safe for concurrent use.
type Box struct {
	secrets [][]byte

	once sync.Once // deriving keys waits for the first use
	keys []key     // the first one seals
}

type key struct {
	id   [keyIDSize]byte
	aead cipher.AEAD
}

// New returns a box that seals with the first secret and opens with all. Without secrets it uses
// a random one, which nobody else has. A secret has at least 16 bytes.
func New(secrets [][]byte) (*Box, error) {
	b := &Box{}
	for i, s := range secrets {
		if len(s) < minSecret {
			return nil, fmt.Errorf("seal: key %d has %d bytes: want %d or more", i, len(s), minSecret)
		}
		b.secrets = append(b.secrets, bytes.Clone(s))
	}
	return b, nil
}

// Seal returns plain, encrypted and bound to purpose.
func (b *Box) Seal(plain, purpose []byte) []byte {
	k := b.derived()[0]
	out := make([]byte, headSize+nonceSize, headSize+nonceSize+len(plain)+k.aead.Overhead())
	out[0] = version
	copy(out[1:], k.id[:])
	nonce := out[headSize:]
	_, _ = rand.Read(nonce) // never fails
	return k.aead.Seal(out, nonce, plain, purpose)
}

// Open returns what was sealed for purpose. The error is ErrInvalid.
func (b *Box) Open(sealed, purpose []byte) ([]byte, error) {
	if len(sealed) < headSize+nonceSize || sealed[0] != version {
		return nil, ErrInvalid
	}
	id, nonce, text := sealed[1:headSize], sealed[headSize:headSize+nonceSize], sealed[headSize+nonceSize:]
	for _, k := range b.derived() {
		if !bytes.Equal(k.id[:], id) {
			continue
		}
		if plain, err := k.aead.Open(nil, nonce, text, purpose); err == nil {
			return plain, nil
		}
	}
	return nil, ErrInvalid
}

func (b *Box) derived() []key {
	b.once.Do(func() {
		if len(b.secrets) == 0 {
			random := make([]byte, 32)
			_, _ = rand.Read(random)
			b.secrets = [][]byte{random}
		}
		for _, s := range b.secrets {
			b.keys = append(b.keys, derive(s))
		}
	})
	return b.keys
}

// derive makes the key and its name from a secret. The functions it calls fail only for sizes
// that are wrong, and these are constants.
func derive(secret []byte) (k key) {
	material, err := hkdf.Key(sha256.New, secret, nil, "mcpgen seal 1", 32+keyIDSize)
	if err != nil {
		panic(err)
	}
	copy(k.id[:], material[32:])
	block, err := aes.NewCipher(material[:32])
	if err != nil {
		panic(err)
	}
	if k.aead, err = cipher.NewGCM(block); err != nil {
		panic(err)
	}
	return k
}
