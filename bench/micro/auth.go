package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

const (
	authIssuer   = "https://login.example.com"
	authResource = "https://mcp.example.com/mcp"
	authSubject  = "ann"
	// authTokens is how many tokens a resource server sees before it is replaced by one that knows none of them.
	authTokens = 2000
)

// authWays are callers that module auth has to tell apart from strangers.
func authWays() []*library {
	way := func(name string, alg jose.SignatureAlgorithm, tokens int, proves bool) *library {
		return &library{name: name, make: func(work.Kind, work.Era) (subject, error) { return newCallers(alg, tokens, proves) }}
	}
	return []*library{
		way(work.Known, jose.ES256, 1, false),
		way(work.DPoP, jose.ES256, 1, true),
		way(work.RS256, jose.RS256, authTokens, false),
		way(work.ES256, jose.ES256, authTokens, false),
		way(work.EdDSA, jose.EdDSA, authTokens, false),
	}
}

// callers make requests of which a resource server says who makes them. They have headers for many requests.
type callers struct {
	issuer  *http.Client
	headers []http.Header

	server *auth.ResourceServer
	next   int
}

// newKey makes a key for a signature.
func newKey(alg jose.SignatureAlgorithm) (key crypto.Signer, err error) {
	switch alg {
	case jose.RS256:
		return rsa.GenerateKey(rand.Reader, 2048)
	case jose.EdDSA:
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	}
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func newCallers(alg jose.SignatureAlgorithm, tokens int, proves bool) (*callers, error) {
	key, err := newKey(alg)
	if err != nil {
		return nil, err
	}
	public := &jose.JSONWebKey{Key: key.Public(), KeyID: "k", Use: "sig"}
	c := &callers{issuer: &http.Client{Transport: published{public}}}
	claims := map[string]any{"iss": authIssuer, "aud": authResource, "sub": authSubject, "client_id": "bench",
		"scope": "notes.read notes.write", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	if proves {
		sum, err := public.Thumbprint(crypto.SHA256)
		if err != nil {
			return nil, err
		}
		claims["cnf"] = map[string]string{"jkt": base64.RawURLEncoding.EncodeToString(sum)}
	}
	text := ""
	for i := range authTokens {
		h := http.Header{}
		if i < tokens {
			claims["jti"] = fmt.Sprint("token", i)
			if text, err = signed(alg, key, claims, jose.HeaderType, "at+jwt", "kid", "k"); err != nil {
				return nil, err
			}
		}
		h.Set("Authorization", "Bearer "+text)
		if proves {
			h.Set("Authorization", "DPoP "+text)
			sum := sha256.Sum256([]byte(text))
			proof, err := signed(alg, key, map[string]any{"jti": fmt.Sprint("proof", i), "htm": http.MethodPost,
				"htu": authResource, "iat": time.Now().Unix(), "ath": base64.RawURLEncoding.EncodeToString(sum[:])},
				jose.HeaderType, "dpop+jwt", "jwk", jose.JSONWebKey{Key: key.Public()})
			if err != nil {
				return nil, err
			}
			h.Set("DPoP", proof)
		}
		c.headers = append(c.headers, h)
	}
	return c, nil
}

// signed signs claims as a JWT with members of the header.
func signed(alg jose.SignatureAlgorithm, key any, claims map[string]any, header ...any) (string, error) {
	opts := new(jose.SignerOptions)
	for i := 0; i < len(header); i += 2 {
		opts.WithHeader(jose.HeaderKey(fmt.Sprint(header[i])), header[i+1])
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	object, err := s.Sign(payload)
	if err != nil {
		return "", err
	}
	return object.CompactSerialize()
}

// run implements subject.
func (c *callers) run(_ *work.Message, n int) (last []byte, err error) {
	r, err := http.NewRequest(http.MethodPost, authResource, nil)
	if err != nil {
		return nil, err
	}
	for range n {
		if c.server == nil || c.next == len(c.headers) {
			c.next = 0
			c.server, err = auth.New(auth.Options{Issuer: authIssuer, Audience: authResource, HTTPClient: c.issuer})
			if err != nil {
				return nil, err
			}
		}
		r.Header = c.headers[c.next]
		c.next++
		who, err := c.server.Authenticate(r)
		if err != nil {
			return nil, err
		}
		if who.Subject != authSubject {
			return nil, fmt.Errorf("%q makes the request", who.Subject)
		}
	}
	return []byte(authSubject), nil
}

// published is an issuer without a network that publishes a key.
type published struct{ key *jose.JSONWebKey }

// RoundTrip implements http.RoundTripper.
func (p published) RoundTrip(r *http.Request) (*http.Response, error) {
	var text any = map[string]any{"issuer": authIssuer, "jwks_uri": authIssuer + "/jwks"}
	if strings.HasSuffix(r.URL.Path, "/jwks") {
		text = map[string]any{"keys": []any{p.key}}
	}
	body, err := json.Marshal(text)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)),
		Request: r}, err
}
