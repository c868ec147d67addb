package auth_test

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/auth"
)

// thumbprint is that of the key of the client.
func thumbprint(t testing.TB) string { return thumbprintOf(t, ecKey.Public()) }

func thumbprintOf(t testing.TB, k crypto.PublicKey) string {
	t.Helper()
	sum, err := (&jose.JSONWebKey{Key: k}).Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(sum)
}

// bound is a token that is bound to the key of the client.
func bound(t testing.TB) string {
	t.Helper()
	return valid(t, claims{"cnf": map[string]any{"jkt": thumbprint(t)}})
}

var proofNumber int

// proofClaims are those of a new proof for a token.
func proofClaims(text string) claims {
	proofNumber++
	sum := sha256.Sum256([]byte(text))
	return claims{"jti": fmt.Sprint("proof", proofNumber), "htm": "POST", "htu": resource, "iat": time.Now().Unix(),
		"ath": base64.RawURLEncoding.EncodeToString(sum[:])}
}

func proofOf(t testing.TB, c claims, header ...any) string {
	t.Helper()
	h := append([]any{"typ", "dpop+jwt", "jwk", jose.JSONWebKey{Key: ecKey.Public()}}, header...)
	return sign(t, jose.ES256, ecKey, "", c, h...)
}

// Who proves a key is asked for more scopes by the scheme of the proof.
func TestStepUpDPoP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := valid(t, claims{"scope": "notes.write", "cnf": map[string]any{"jkt": thumbprint(t)}})
		w := r.call("note", "Authorization", "DPoP "+text, "DPoP", proofOf(t, proofClaims(text)))
		want(t, w, 403, `DPoP error="insufficient_scope", error_description="`, "forbidden")
		want(t, w, 403, `scope="notes.write notes.read", algs="`, "")
	})
}

// A bound token counts with a proof for this request only (RFC 9449, section 4.3).
func TestDPoP(t *testing.T) {
	t.Attr("requirements", "auth-dpop")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := bound(t)
		with := func(change claims) string { return proofOf(t, changed(proofClaims(text), change)) }
		now := time.Now().Unix()
		for _, x := range []struct {
			name, challenge string
			status          int
			headers         []string
		}{
			{"proof", "", 200, []string{"Dpop", with(nil)}},
			{"another proof", "", 200, []string{"Dpop", with(nil)}},
			{"address with a query and a fragment", "", 200, []string{"Dpop", with(claims{"htu": resource + "?a=b?c#d"})}},
			{"address with a fragment", "", 200, []string{"Dpop", with(claims{"htu": resource + "#a?b"})}},
			{"address in a query", "invalid_dpop_proof", 401,
				[]string{"Dpop", with(claims{"htu": "https://evil.example/?" + resource})}},
			{"address in capitals", "", 200, []string{"Dpop", with(claims{"htu": "HTTPS://MCP.example.com:443/mcp"})}},
			{"clock behind", "", 200, []string{"Dpop", with(claims{"iat": now - 299})}},
			{"clock ahead", "", 200, []string{"Dpop", with(claims{"iat": now + 299})}},
			{"old", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"iat": now - 301})}},
			{"of the future", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"iat": now + 302})}},
			{"no time", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"iat": nil})}},
			{"time beyond all", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"iat": 1e300})}},
			{"none", "invalid_dpop_proof", 401, nil},
			{"two", "invalid_dpop_proof", 401, []string{"Dpop", with(nil), "Dpop", with(nil)}},
			{"other method", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"htm": "GET"})}},
			{"other address", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"htu": "https://mcp.example.com/other"})}},
			{"other host", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"htu": "https://evil.example/mcp"})}},
			{"other token", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"ath": "x"})}},
			{"no token", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"ath": nil})}},
			{"no jti", "invalid_dpop_proof", 401, []string{"Dpop", with(claims{"jti": nil})}},
			{"typ of another", "invalid_dpop_proof", 401, []string{"Dpop", proofOf(t, proofClaims(text), "typ", "JWT")}},
			{"key of another", "invalid_dpop_proof", 401, []string{"Dpop", sign(t, jose.ES256, ecOther, "", proofClaims(text),
				"typ", "dpop+jwt", "jwk", jose.JSONWebKey{Key: ecOther.Public()})}},
			{"signature of another", "invalid_dpop_proof", 401, []string{"Dpop", sign(t, jose.ES256, ecOther, "",
				proofClaims(text), "typ", "dpop+jwt", "jwk", jose.JSONWebKey{Key: ecKey.Public()})}},
			{"secret key in the header", "invalid_dpop_proof", 401, []string{"Dpop",
				proofOf(t, proofClaims(text), "jwk", jose.JSONWebKey{Key: ecKey})}},
			{"symmetric", "invalid_dpop_proof", 401, []string{"Dpop", sign(t, jose.HS256,
				[]byte("0123456789abcdef0123456789abcdef"), "", proofClaims(text), "typ", "dpop+jwt")}},
			{"rubbish", "invalid_dpop_proof", 401, []string{"Dpop", "rubbish"}},
		} {
			w := r.call("whoami", append(x.headers, "Authorization", "DPoP "+text)...)
			if want(t, w, x.status, x.challenge, ""); w.Code != x.status {
				t.Errorf("%s: %d %s", x.name, w.Code, r.log)
			}
		}
	})
}

// A proof counts once, and the schemes are not mixed.
func TestProofTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := bound(t)
		proof := func() string { return proofOf(t, proofClaims(text)) }
		again := proof()
		want(t, r.call("whoami", "Authorization", "DPoP "+text, "Dpop", again), 200, "", "ann")
		want(t, r.call("whoami", "Authorization", "DPoP "+text, "Dpop", again), 401, "invalid_dpop_proof", "")
		time.Sleep(4 * time.Minute)
		want(t, r.call("whoami", "Authorization", "DPoP "+text, "Dpop", again), 401, "invalid_dpop_proof", "")
		want(t, r.call("whoami", "Authorization", "Bearer "+text, "Dpop", proof()), 401, `DPoP error="invalid_token"`, "")
		want(t, r.call("whoami", "Authorization", "DPoP "+valid(t, nil), "Dpop", proof()), 401,
			`DPoP error="invalid_token"`, "")
	})
}

// Clients choose the ids of their proofs: that of one does not use up that of another. Keys that are too small prove
// nothing.
func TestProofsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{})
		defer r.srv.Close()
		text := bound(t)
		theirs, c := valid(t, claims{"cnf": map[string]any{"jkt": thumbprintOf(t, ecOther.Public())}}), proofClaims(text)
		want(t, r.call("whoami", "Authorization", "DPoP "+text, "Dpop", proofOf(t, c)), 200, "", "ann")
		proof := sign(t, jose.ES256, ecOther, "", changed(proofClaims(theirs), claims{"jti": c["jti"]}), "typ", "dpop+jwt",
			"jwk", jose.JSONWebKey{Key: ecOther.Public()})
		want(t, r.call("whoami", "Authorization", "DPoP "+theirs, "Dpop", proof), 200, "", "ann")

		weak := valid(t, claims{"cnf": map[string]any{"jkt": thumbprintOf(t, rsaWeak.Public())}})
		proof = sign(t, jose.RS256, rsaWeak, "", proofClaims(weak), "typ", "dpop+jwt", "jwk",
			jose.JSONWebKey{Key: rsaWeak.Public()})
		want(t, r.call("whoami", "Authorization", "DPoP "+weak, "Dpop", proof), 401, "invalid_dpop_proof", "")
	})
}

// Where proofs are required, tokens that are bound to nothing do not count.
func TestRequireDPoP(t *testing.T) {
	t.Attr("requirements", "auth-dpop")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, auth.Options{RequireDPoP: true})
		defer r.srv.Close()
		want(t, r.call("whoami", "Authorization", "Bearer "+valid(t, nil)), 401, "invalid_token", "")
		text := bound(t)
		want(t, r.call("whoami", "Authorization", "DPoP "+text, "Dpop", proofOf(t, proofClaims(text))), 200, "", "ann")
	})
}

// With a shared store a proof counts once for all replicas; a store that fails is no open door.
func TestReplayAcrossReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := map[string]bool{}
		var failure error
		o := auth.Options{Replayed: func(_ context.Context, proof string, until time.Time) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			used := seen[proof]
			seen[proof] = true
			if left := time.Until(until); left != 9*time.Minute {
				t.Errorf("it must be remembered for %v, and counts for 9m", left)
			}
			return used, failure
		}}
		a, b := newRig(t, o), newRig(t, o)
		defer a.srv.Close()
		defer b.srv.Close()
		text := bound(t)
		ahead := func() string { return proofOf(t, changed(proofClaims(text), claims{"iat": time.Now().Unix() + 240})) }
		p := ahead()
		want(t, a.call("whoami", "Authorization", "DPoP "+text, "Dpop", p), 200, "", "ann")
		want(t, b.call("whoami", "Authorization", "DPoP "+text, "Dpop", p), 401, "invalid_dpop_proof", "")
		failure = context.DeadlineExceeded
		want(t, a.call("whoami", "Authorization", "DPoP "+text, "Dpop", ahead()), 503, "", "")
	})
}
