// Package aead is the box of package seal that encrypts. Only programs that need it are linked with it.
//
// A sealed text consists of a byte for the version of the format, 4 bytes for the id of the secret, a random salt of 24
// bytes, and the ciphertext of AES-256-GCM with a tag of 16 bytes. Key and nonce belong to that one text: they are
// derived from secret and salt by HKDF-SHA-256. So a secret need not be replaced after a number of texts. It would have
// to be if one key were used with random nonces. All processes that share a secret open each other's texts. A text that
// was sealed for one purpose cannot be opened for another.
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

// errUsed is returned by [Box.Use] if the box has already sealed or opened a text, or was given secrets by Use before.
var errUsed = errors.New("seal: the keys are in use already")

func init() { //nolint:gochecknoinits // a program says by an import that it encrypts, as with formats of images
	seal.Link(func(secrets [][]byte) (seal.Box, error) { return New(secrets) })
}

// Box implements [seal.Box].
type Box struct {
	secrets [][]byte
	random  func([]byte) // fills in a salt

	once sync.Once // the keys are derived at the first use
	keys []key     // the first one seals
	// recent has ciphers of the texts that were sealed or opened last, because clients soon send these texts back, some
	// more than once. A text that cannot be opened is not among them.
	recent [64]atomic.Pointer[cipherOf]
}

// key is the id and the key that are derived from a secret.
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

// New returns a box that seals with the first secret and opens with all. Without secrets it uses a random secret, which
// no other box has. It returns an error if a secret has fewer than 16 bytes.
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

// slot returns the place of the cipher of a text in b.recent.
func (b *Box) slot(name []byte) *atomic.Pointer[cipherOf] {
	return &b.recent[int(name[idSize])%len(b.recent)]
}

// keep stores a cipher in b.recent, in place of another.
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

// newKey derives the key of a secret. It panics if a cryptographic function returns an error, and so do the methods of
// key. That cannot happen: these functions only return errors for wrong sizes, and all sizes are constants.
func newKey(secret []byte) (k key) {
	var err error
	if k.pseudo, err = hkdf.Extract(sha256.New, secret, nil); err != nil {
		panic(err)
	}
	copy(k.id[:], k.expand("mcpgen seal 2 name", idSize))
	return k
}

// expand derives n bytes for the use that info names.
func (k *key) expand(info string, n int) []byte {
	b, err := hkdf.Expand(sha256.New, k.pseudo, info, n)
	if err != nil {
		panic(err)
	}
	return b
}

// cipherOf makes the cipher of a text. name is the id of the key, followed by the salt of the text.
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
