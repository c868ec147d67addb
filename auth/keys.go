package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

const (
	// maxKeys bounds the keys of an issuer, and maxTries how many of them are tried for a token that names none.
	maxKeys  = 200
	maxTries = 8
	// minRSA is the size of a key in bits from which it is secure (RFC 7518, section 3.3).
	minRSA = 2048
)

// algorithms are those that tokens and proofs may be signed with: all have a public key that verifies and does not
// sign.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// key is a public key of an issuer.
type key struct {
	id  string
	alg string // "" for any that fits
	key any
}

// fetchKeys gets the keys of the issuer. Those that cannot be used are left out: they are for others.
func (i *issuer) fetchKeys(ctx context.Context) ([]key, error) {
	from, err := i.endpoint(ctx, "jwks_uri", func(m metadata) string { return m.JWKSURI })
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := i.getJSON(ctx, from, &set); err != nil {
		return nil, err
	}
	var keys []key
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var k jose.JSONWebKey
		if k.UnmarshalJSON(raw) == nil && (k.Use == "" || k.Use == "sig") && isUsable(&k) {
			keys = append(keys, key{k.KeyID, k.Algorithm, k.Key})
		}
	}
	if len(keys) == 0 {
		return nil, errors.New(from + " has no key that can verify a signature")
	}
	return keys, nil
}

// isUsable reports whether k is a public key of a kind and a size that signatures are verified with.
func isUsable(k *jose.JSONWebKey) bool {
	if !k.Valid() {
		return false
	}
	switch pub := k.Key.(type) {
	case *rsa.PublicKey:
		return pub.N.BitLen() >= minRSA
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}

// candidates are the keys that may have signed what names a key and an algorithm.
func candidates(keys []key, id, alg string) []key {
	var out []key
	for _, k := range keys {
		if (id == "" || k.id == id) && (k.alg == "" || k.alg == alg) && fits(k.key, alg) {
			out = append(out, k)
		}
	}
	return out[:min(len(out), maxTries)]
}

// fits reports whether a key is of the kind that an algorithm uses.
func fits(k any, alg string) bool {
	switch k.(type) {
	case *rsa.PublicKey:
		return alg[:2] == "RS" || alg[:2] == "PS"
	case *ecdsa.PublicKey:
		return alg[:2] == "ES"
	case ed25519.PublicKey:
		return alg == string(jose.EdDSA)
	}
	return false
}

// algorithmNames are the algorithms as texts.
func algorithmNames() []string {
	names := make([]string, len(algorithms))
	for i, alg := range algorithms {
		names[i] = string(alg)
	}
	slices.Sort(names)
	return names
}
