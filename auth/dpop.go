package auth

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// proofWindow is how far the time of a proof may be from ours.
	proofWindow = 5 * time.Minute
	// maxProof bounds the header DPoP, and maxProofs the proofs that are remembered; one key has a quarter of them.
	maxProof  = 8 << 10
	maxProofs = 1 << 20
)

// proofError is why a proof of DPoP is refused.
type proofError struct{ text string }

func (e *proofError) Error() string { return "auth: the proof of DPoP is refused: " + e.text }

// proof are the claims of a proof (RFC 9449, section 4.2).
type proof struct {
	ID     string  `json:"jti"`
	Method string  `json:"htm"`
	URL    string  `json:"htu"`
	Issued float64 `json:"iat"`
	Hash   string  `json:"ath"`
}

// checkProof checks that the client of a request has the key to which its token is bound (RFC 9449, section 4.3).
func (s *ResourceServer) checkProof(r *http.Request, token, thumbprint string) error {
	headers := r.Header.Values("DPoP")
	if len(headers) != 1 || len(headers[0]) > maxProof {
		return &proofError{"want one header DPoP"}
	}
	signed, err := jose.ParseSignedCompact(headers[0], algorithms)
	if err != nil {
		return &proofError{"it is no JWT with a signature that counts"}
	}
	head := signed.Signatures[0].Protected
	k := head.JSONWebKey
	if header(head, jose.HeaderType) != "dpop+jwt" || k == nil || !k.IsPublic() || !isUsable(k) ||
		!fits(k.Key, head.Algorithm) {
		return &proofError{"its header is not that of a proof: typ dpop+jwt, and the public key as jwk"}
	}
	payload, err := signed.Verify(k.Key)
	if err != nil {
		return &proofError{"its signature is wrong"}
	}
	sum, err := k.Thumbprint(crypto.SHA256)
	if err != nil || subtle.ConstantTimeCompare([]byte(encode(sum)), []byte(thumbprint)) != 1 {
		return &proofError{"its key is not that of the token"}
	}
	var p proof
	if json.Unmarshal(payload, &p) != nil {
		return &proofError{"its claims are not those of a proof"}
	}
	return s.checkProofClaims(r, &p, token, thumbprint)
}

// checkProofClaims checks that a proof is for this request, and new.
func (s *ResourceServer) checkProofClaims(r *http.Request, p *proof, token, thumbprint string) error {
	hash := sha256.Sum256([]byte(token))
	issued := time.Unix(int64(p.Issued), 0)
	switch {
	case p.Method != r.Method:
		return &proofError{fmt.Sprintf("it is for the method %.20q", p.Method)}
	case !sameAddress(withoutQuery(p.URL), s.opts.URL):
		return &proofError{fmt.Sprintf("it is for %.200q, want %s", p.URL, s.opts.URL)}
	case subtle.ConstantTimeCompare([]byte(p.Hash), []byte(encode(hash[:]))) != 1:
		return &proofError{"it is for another token"}
	case math.Abs(p.Issued) > maxInstant || time.Since(issued).Abs() > proofWindow:
		return &proofError{fmt.Sprintf("its time is %v", issued)}
	case p.ID == "":
		return &proofError{"it has no jti"}
	}
	return s.firstUse(r.Context(), thumbprint, p.ID, issued)
}

// withoutQuery is an address without its query and its fragment, which are not compared (RFC 9449, section 4.3).
func withoutQuery(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		return address[:i]
	}
	return address
}

// firstUse refuses a proof that was used before.
func (s *ResourceServer) firstUse(ctx context.Context, thumbprint, id string, issued time.Time) error {
	sum := sha256.Sum256([]byte(thumbprint + "\x00" + id))
	switch used, err := s.proofs.add(thumbprint, sum, issued); {
	case err != nil:
		return unavailable(err)
	case used:
		return &proofError{"it was used before"}
	case s.opts.Replayed == nil:
		return nil
	}
	switch used, err := s.opts.Replayed(ctx, encode(sum[:]), issued.Add(proofWindow)); {
	case err != nil:
		return unavailable(fmt.Errorf("Options.Replayed: %w", err))
	case used:
		return &proofError{"it was used before, at another replica"}
	}
	return nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

var errManyProofs = errors.New("more proofs of DPoP were used in ten minutes than can be remembered")

// proofs remembers proofs as long as they are valid. It is safe for concurrent use.
type proofs struct {
	mu      sync.Mutex
	minutes map[int64]*minute // by the minute in which they were made
	number  int
}

// minute has the proofs of one minute, and how many each key has made.
type minute struct {
	seen map[[sha256.Size]byte]struct{}
	of   map[string]int
}

// add remembers a proof that is valid, and reports whether it was there already.
func (p *proofs) add(thumbprint string, proof [sha256.Size]byte, issued time.Time) (used bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	over := time.Now().Add(-proofWindow).Unix()/60 - 1
	made := 0
	for at, m := range p.minutes {
		if at < over {
			p.number -= len(m.seen)
			delete(p.minutes, at)
			continue
		}
		made += m.of[thumbprint]
	}
	at := issued.Unix() / 60
	m := p.minutes[at]
	if m == nil {
		m = &minute{make(map[[sha256.Size]byte]struct{}), make(map[string]int)}
		if p.minutes == nil {
			p.minutes = make(map[int64]*minute)
		}
		p.minutes[at] = m
	}
	if _, used = m.seen[proof]; used {
		return true, nil
	}
	if p.number >= maxProofs || made >= maxProofs/4 {
		return false, errManyProofs
	}
	m.seen[proof] = struct{}{}
	m.of[thumbprint]++
	p.number++
	return false, nil
}
