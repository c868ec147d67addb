package auth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// invalidError is why a token is refused. Its text is for the log: clients get one that says nothing of the server.
type invalidError struct{ text string }

func (e *invalidError) Error() string { return "auth: the token is refused: " + e.text }

func invalidf(format string, args ...any) error { return &invalidError{fmt.Sprintf(format, args...)} }

// claims are those that are checked, with all others.
type claims struct {
	Token
	audience  []string
	notBefore time.Time
	issued    time.Time
	bound     confirmation
}

// confirmation is the claim cnf: to what a token is bound (RFC 7800).
type confirmation struct {
	isBound bool
	jkt     string // the thumbprint of a key (RFC 9449), "" for bindings that are not known here
}

// verifyJWT checks the signature of a JWT by a key of the issuer that it names, and returns its claims.
func (s *ResourceServer) verifyJWT(ctx context.Context, text string) (*claims, error) {
	token, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return nil, invalidf("it is no JWT with one of the signatures %s", strings.Join(algorithmNames(), ", "))
	}
	head := token.Signatures[0].Protected
	if typ := header(head, jose.HeaderType); !isTokenType(typ) {
		return nil, invalidf("its typ is %.100q: want at+jwt or JWT", typ)
	}
	var named struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(token.UnsafePayloadWithoutVerification(), &named) != nil || s.issuers[named.Issuer] == nil {
		return nil, invalidf("its issuer is %.200q, which is not one of the options", named.Issuer)
	}
	from := s.issuers[named.Issuer]
	keys, err := from.keys.get(ctx, func(keys []key) bool {
		return len(candidates(keys, head.KeyID, head.Algorithm)) > 0
	})
	if err != nil {
		return nil, err
	}
	for _, k := range candidates(keys, head.KeyID, head.Algorithm) {
		if payload, err := token.Verify(k.key); err == nil {
			return s.checkedClaims(payload, from.id)
		}
	}
	return nil, invalidf("no key of %s has made its signature (kid %.100q)", from.id, head.KeyID)
}

// header returns a member of a JOSE header that is a text.
func header(h jose.Header, name jose.HeaderKey) string {
	s, _ := h.ExtraHeaders[name].(string)
	return s
}

// isTokenType reports whether a typ is that of an access token (RFC 9068), or says nothing.
func isTokenType(typ string) bool {
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "at+jwt":
		return true
	}
	return false
}

// checkedClaims reads what a JWT says, and checks it.
func (s *ResourceServer) checkedClaims(payload []byte, issuer string) (*claims, error) {
	c, err := parseClaims(payload)
	if err != nil {
		return nil, err
	}
	if c.Issuer != issuer {
		return nil, invalidf("its issuer is %.200q", c.Issuer)
	}
	if c.Expires.IsZero() {
		return nil, invalidf("it has no exp")
	}
	return c, s.check(c)
}

// check checks what all tokens have in common.
func (s *ResourceServer) check(c *claims) error {
	soon := time.Now().Add(s.opts.ClockSkew)
	switch {
	case !c.Expires.IsZero() && !time.Now().Before(c.Expires):
		return invalidf("it expired at %v", c.Expires)
	case soon.Before(c.notBefore) || soon.Before(c.issued):
		return invalidf("it is of the future: nbf %v, iat %v", c.notBefore, c.issued)
	case !s.isAudience(c.audience):
		return invalidf("its audience is %.300q, want %q", c.audience, s.opts.Audience)
	case c.Subject == "":
		return invalidf("it has no sub")
	}
	return nil
}

// isAudience reports whether one of the audiences of a token is this server.
func (s *ResourceServer) isAudience(audience []string) bool {
	for _, a := range audience {
		if a == s.opts.Audience || sameAddress(a, s.opts.Audience) || sameAddress(a, s.opts.URL) {
			return true
		}
	}
	return false
}

// parseClaims reads the claims of a JWT, or of the answer to an introspection.
func parseClaims(payload []byte) (*claims, error) {
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	var m map[string]any
	if d.Decode(&m) != nil || m == nil {
		return nil, invalidf("its claims are no JSON object")
	}
	c := &claims{Token: Token{Issuer: text(m, "iss"), Subject: text(m, "sub"), ClientID: text(m, "client_id"), Claims: m}}
	if c.ClientID == "" {
		c.ClientID = text(m, "azp")
	}
	for _, name := range []string{"scope", "scp"} {
		for _, s := range texts(m[name]) {
			c.Scopes = append(c.Scopes, strings.Fields(s)...)
		}
	}
	c.audience = texts(m["aud"])
	if _, list := m["roles"].([]any); list {
		c.Roles = texts(m["roles"])
	}
	if cnf, there := m["cnf"]; there {
		members, _ := cnf.(map[string]any)
		c.bound = confirmation{true, text(members, "jkt")}
	}
	var errs [3]error
	c.Expires, errs[0] = instant(m, "exp")
	c.notBefore, errs[1] = instant(m, "nbf")
	c.issued, errs[2] = instant(m, "iat")
	return c, cmp.Or(errs[:]...)
}

// text is a member that is a text; "" for another.
func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// texts are the texts of a claim that is one, or a list of them.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// maxInstant bounds times, in seconds: they are far beyond what a token can have.
const maxInstant = 1e11

// instant is a time in seconds; zero if there is none.
func instant(m map[string]any, name string) (time.Time, error) {
	v, there := m[name]
	if !there {
		return time.Time{}, nil
	}
	n, _ := v.(json.Number)
	seconds, err := n.Float64()
	if err != nil || math.Abs(seconds) > maxInstant {
		return time.Time{}, invalidf("%s is no time", name)
	}
	return time.Unix(int64(seconds), 0), nil
}
