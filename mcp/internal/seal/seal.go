// Package seal protects data of the server that passes through clients, such as cursors and the state of requests that
// wait for input. Clients can neither read nor change such data.
//
// There are two kinds of box. The box of package aead encrypts, and all processes that share a secret open each other's
// texts. Programs that serve HTTP, events or tasks are linked with package aead. In other programs, such as a server on
// stdio, the box keeps the text in the process, and the client gets a random name for the text.
package seal

import (
	"encoding/base64"
	"errors"
	"strings"
)

// ErrInvalid is returned for every text that a box cannot open. It does not say why.
var ErrInvalid = errors.New("seal: not a sealed text, or sealed for something else")

// Box seals texts and opens sealed texts. It is safe for concurrent use.
type Box interface {
	// Seal returns a text from which Open returns plain, if it is given the same purpose. Clients cannot read plain from
	// the text, and Open refuses a changed text.
	Seal(plain, purpose []byte) []byte
	// Open returns the plain text that Seal was given together with purpose. Every error is ErrInvalid.
	Open(sealed, purpose []byte) ([]byte, error)
	// Knows reports whether sealed carries the id of a secret of the box. Open may still refuse the text.
	Knows(sealed []byte) bool
	// Use replaces the secrets of the box. It returns an error if the box has already sealed or opened a text, if a secret
	// is too short, or if the program is not linked with package aead.
	Use(secrets [][]byte) error
}

// linked makes the boxes of the program; nil if the program is not linked with package aead.
var linked func(secrets [][]byte) (Box, error)

// errNotLinked is returned if a program sets secrets, but is not linked with package aead.
var errNotLinked = errors.New("this program is not linked with encryption: add to its imports\n" +
	"\t_ \"github.com/mcpgen/mcpgen/mcp/keys\"")

// Link makes New call f. Package aead calls it in its init function.
func Link(f func(secrets [][]byte) (Box, error)) { linked = f }

// New returns a box that seals with the first secret and opens texts of all the secrets. Without secrets, no other box
// opens its texts. It returns an error if a secret has fewer than 16 bytes, or if there are secrets and the program is
// not linked with package aead.
func New(secrets [][]byte) (Box, error) {
	switch {
	case linked != nil:
		return linked(secrets)
	case len(secrets) > 0:
		return nil, errNotLinked
	}
	return newKept(), nil
}

// Encode returns the base64 text of a sealed text.
func Encode(sealed []byte) string { return base64.RawURLEncoding.EncodeToString(sealed) }

// Decode decodes a result of [Encode]. It accepts only the very text that Encode returns: without line breaks, and with
// the unused last bits zero.
func Decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, ErrInvalid
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}

// Name returns a short name of a sealed text: the start of its base64 text. Texts that a box can open have different
// names.
func Name(text string) string {
	const most = 40 // with the whole head of an encrypted text, and so its random salt
	return text[:min(len(text), most)]
}
