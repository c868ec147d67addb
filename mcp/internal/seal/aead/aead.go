// Package aead is linked into programs that encrypt what passes through clients; see package seal.
//
// A sealed text is a byte for the version of the format, 4 bytes that name the secret, a random salt of 24 bytes, and
// AES-256-GCM with a tag of 16 bytes. Key and nonce belong to that one text: they are derived from secret and salt by
// HKDF-SHA-256. So there is no number of texts after which a secret has to be replaced, as there is where random nonces
// share one key. All processes that share a secret open each other's texts. What is sealed for one purpose does not
// open for another.
//
// It is a package of its own because a program that imports the packages of cryptography is 230 KB larger, whether it
// uses them or not.
package aead

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/seal"
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

func init() { //nolint:gochecknoinits // a program says by an import that it encrypts, as with formats of images
	seal.Link(func(secrets [][]byte) (seal.Box, error) { return New(secrets) })
}

// Box implements [seal.Box].
type Box struct {
	secrets [][]byte
	random  func([]byte) // fills in a salt

	once sync.Once // deriving waits for the first use
	keys []key     // the first one seals
	// recent are the ciphers of texts that were sealed or opened last, because clients bring them back, and bring some
	// more than once. A text that does not open leaves none.
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

// New returns a box that seals with the first secret and opens with all. Without secrets it uses
// a random one, which nobody else has. A secret has at least 16 bytes.
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

// Use implements [seal.Box].
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

// Seal implements [seal.Box].
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

// Open implements [seal.Box].
func (b *Box) Open(sealed, purpose []byte) ([]byte, error) {
	if len(sealed) < headSize+tagSize || sealed[0] != version {
		return nil, seal.ErrInvalid
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
	return nil, seal.ErrInvalid
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

// newKey makes the key and its name from a secret. The functions that it and the methods of key call fail only for
// sizes that are wrong, and these are constants.
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

// Knows implements [seal.Box].
func (b *Box) Knows(sealed []byte) bool {
	if len(sealed) < headSize+tagSize || sealed[0] != version {
		return false
	}
	return slices.ContainsFunc(b.derived(), func(k key) bool { return bytes.Equal(k.id[:], sealed[1:1+idSize]) })
}
