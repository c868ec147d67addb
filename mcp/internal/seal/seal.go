// Package seal encrypts data that passes through clients, which can neither read nor change it: cursors, and the state
// of requests that wait for input.
//
// A sealed text is a byte for the version of the format, 4 bytes that name the secret, a random salt of 24 bytes, and
// AES-256-GCM with a tag of 16 bytes. Key and nonce belong to that one text: they are derived from secret and salt by
// HKDF-SHA-256. So a secret need not be replaced after some number of texts, as it must be where random nonces share
// one key. Processes that share a secret can open each other's texts. A text that was sealed for one purpose cannot be
// opened for another.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	version   = 2
	idSize    = 4
	saltSize  = 24
	keySize   = 32
	nonceSize = 12
	tagSize   = 16
	minSecret = 16
	headSize  = 1 + idSize + saltSize
)

// errUsed says that a box has sealed or opened with other secrets.
var errUsed = errors.New("seal: the keys are in use already")

// ErrInvalid is returned for every text that does not open. It does not say why.
var ErrInvalid = errors.New("seal: not a sealed text, or sealed for something else")

// Box seals and opens. It is safe for concurrent use.
type Box struct {
	secrets [][]byte
	random  func([]byte) // fills in a salt

	once sync.Once // deriving waits for the first use
	keys []key     // the first one seals
	// recent has the ciphers of the texts that were sealed or opened last, because clients send texts back, some of them
	// several times. A text that cannot be opened is not remembered.
	recent [64]atomic.Pointer[cipherOf]
}

// key is what is derived from a secret.
type key struct {
	id     [idSize]byte
	pseudo []byte // the pseudorandom key of HKDF
}

// cipherOf is the cipher of one text.
type cipherOf struct {
	name  [idSize + saltSize]byte
	aead  cipher.AEAD
	nonce [nonceSize]byte
}

// New returns a box that seals with the first secret and opens with all. Without secrets it uses a random one that only
// this process knows. A secret has at least 16 bytes.
func New(secrets [][]byte) (*Box, error) {
	b := &Box{random: func(salt []byte) { _, _ = rand.Read(salt) }} // never fails
	for i, s := range secrets {
		if len(s) < minSecret {
			return nil, fmt.Errorf("seal: key %d has %d bytes: want %d or more", i, len(s), minSecret)
		}
		b.secrets = append(b.secrets, bytes.Clone(s))
	}
	return b, nil
}

// Use replaces the secrets of a box that has neither sealed nor opened anything yet. Otherwise it is an error.
func (b *Box) Use(secrets [][]byte) error {
	with, err := New(secrets)
	if err != nil {
		return err
	}
	err = errUsed
	b.once.Do(func() {
		b.secrets, err = with.secrets, nil
		b.derive()
	})
	return err
}

// Seal returns plain, encrypted and bound to purpose.
func (b *Box) Seal(plain, purpose []byte) []byte {
	k := &b.derived()[0]
	out := make([]byte, headSize, headSize+len(plain)+tagSize)
	out[0] = version
	copy(out[1:], k.id[:])
	b.random(out[1+idSize:])
	c := k.cipherOf(out[1:headSize])
	b.keep(c)
	return c.aead.Seal(out, c.nonce[:], plain, purpose)
}

// Open returns what was sealed for purpose. The error is ErrInvalid.
func (b *Box) Open(sealed, purpose []byte) ([]byte, error) {
	if len(sealed) < headSize+tagSize || sealed[0] != version {
		return nil, ErrInvalid
	}
	name, text := sealed[1:headSize], sealed[headSize:]
	if c := b.slot(name).Load(); c != nil && bytes.Equal(c.name[:], name) {
		if plain, err := c.aead.Open(nil, c.nonce[:], text, purpose); err == nil {
			return plain, nil
		}
	}
	for i := range b.derived() {
		k := &b.keys[i]
		if !bytes.Equal(k.id[:], name[:idSize]) {
			continue
		}
		c := k.cipherOf(name)
		if plain, err := c.aead.Open(nil, c.nonce[:], text, purpose); err == nil {
			b.keep(c)
			return plain, nil
		}
	}
	return nil, ErrInvalid
}

// Decode decodes a sealed text from base64. It accepts only the spelling that the encoder writes: no line breaks, and
// no stray bits at the end. The error gives no details.
func Decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, ErrInvalid
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}

// slot is where the cipher of a text is kept.
func (b *Box) slot(name []byte) *atomic.Pointer[cipherOf] {
	return &b.recent[int(name[idSize])%len(b.recent)]
}

// keep remembers a cipher.
func (b *Box) keep(c *cipherOf) { b.slot(c.name[:]).Store(c) }

func (b *Box) derived() []key {
	b.once.Do(b.derive)
	return b.keys
}

func (b *Box) derive() {
	if len(b.secrets) == 0 {
		random := make([]byte, keySize)
		_, _ = rand.Read(random)
		b.secrets = [][]byte{random}
	}
	for _, s := range b.secrets {
		b.keys = append(b.keys, newKey(s))
	}
}

// newKey makes the key and its name from a secret. It ignores errors, like the methods of key: the functions that they
// call fail only for wrong sizes, and all sizes are constants.
func newKey(secret []byte) (k key) {
	var err error
	if k.pseudo, err = hkdf.Extract(sha256.New, secret, nil); err != nil {
		panic(err)
	}
	copy(k.id[:], k.expand("mcpgen seal 2 name", idSize))
	return k
}

// expand derives n bytes for a use.
func (k *key) expand(info string, n int) []byte {
	b, err := hkdf.Expand(sha256.New, k.pseudo, info, n)
	if err != nil {
		panic(err)
	}
	return b
}

// cipherOf makes the cipher of the text with a name, which is that of the key and a salt.
func (k *key) cipherOf(name []byte) *cipherOf {
	material := k.expand("mcpgen seal 2 text"+string(name[idSize:]), keySize+nonceSize)
	block, err := aes.NewCipher(material[:keySize])
	if err != nil {
		panic(err)
	}
	c := new(cipherOf)
	if c.aead, err = cipher.NewGCM(block); err != nil {
		panic(err)
	}
	copy(c.name[:], name)
	copy(c.nonce[:], material[keySize:])
	return c
}

// Knows reports whether sealed names one of the secrets of b. It need not open.
func (b *Box) Knows(sealed []byte) bool {
	if len(sealed) < headSize+tagSize || sealed[0] != version {
		return false
	}
	return slices.ContainsFunc(b.derived(), func(k key) bool { return bytes.Equal(k.id[:], sealed[1:1+idSize]) })
}
