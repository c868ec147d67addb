// Package seal protects data that passes through clients, which can neither read nor change it: cursors, and the state
// of requests that wait for input.
//
// Two kinds of box do so. That of package aead encrypts, and all processes that share a secret open each other's texts;
// programs that serve HTTP, events or tasks are linked with it. In other programs, such as a server on stdio, a text
// stays in the process, and the client gets its name.
package seal

import (
	"encoding/base64"
	"errors"
	"strings"
)

// ErrInvalid is returned for every text that does not open. It does not say why.
var ErrInvalid = errors.New("seal: not a sealed text, or sealed for something else")

// Box seals and opens. It is safe for concurrent use.
type Box interface {
	// Seal returns a text that only Open turns into plain again, and only for the same purpose. Clients can neither read
	// nor change plain.
	Seal(plain, purpose []byte) []byte
	// Open returns what was sealed for purpose. The error is ErrInvalid.
	Open(sealed, purpose []byte) ([]byte, error)
	// Knows reports whether sealed names one of the secrets of the box. It need not open.
	Knows(sealed []byte) bool
	// Use replaces the secrets of a box that has neither sealed nor opened anything yet. Otherwise it is an error.
	Use(secrets [][]byte) error
}

// linked makes the boxes of the program; nil if it is not linked with package aead.
var linked func(secrets [][]byte) (Box, error)

// errNotLinked is the error of a program that has secrets, but is not linked with package aead.
var errNotLinked = errors.New("this program is not linked with encryption: add to its imports\n" +
	"\t_ \"github.com/mcpgen/mcpgen/mcp/keys\"")

// Link has New return what f returns. Package aead calls it before the program begins.
func Link(f func(secrets [][]byte) (Box, error)) { linked = f }

// New returns a box that seals with the first secret and opens with all. Without secrets, nobody else opens what it
// seals. A secret has at least 16 bytes.
func New(secrets [][]byte) (Box, error) {
	switch {
	case linked != nil:
		return linked(secrets)
	case len(secrets) > 0:
		return nil, errNotLinked
	}
	return newKept(), nil
}

// Encode returns the base64 text of a sealed text, and Decode decodes it in the one spelling that encodes it: no line
// breaks, no other last bits. The error says nothing.
func Encode(sealed []byte) string { return base64.RawURLEncoding.EncodeToString(sealed) }

// Decode is described at [Encode].
func Decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, ErrInvalid
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}

// Name returns the start of the base64 text of a sealed text. It is different for each text that opens.
func Name(text string) string {
	const most = 40 // more than the head of a text that is encrypted, which has a salt of its own
	return text[:min(len(text), most)]
}
