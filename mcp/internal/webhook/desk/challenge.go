package desk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

const (
	// verifiedFor is how long a callback that has answered a challenge is not challenged again for the same principal.
	verifiedFor = 24 * time.Hour
	// maxVerified is how many callbacks are remembered.
	maxVerified = 10_000
)

// verified remembers which callbacks have answered a challenge, for which principals.
type verified struct {
	mu sync.Mutex
	at map[[sha256.Size]byte]time.Time
}

func verifiedKey(principal, url string) [sha256.Size]byte { return digest(principal, url) }

func (v *verified) when(principal, url string, now time.Time) time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	at := v.at[verifiedKey(principal, url)]
	if now.Sub(at) >= verifiedFor {
		return time.Time{}
	}
	return at
}

func (v *verified) add(principal, url string, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.at == nil || len(v.at) >= maxVerified {
		v.at = map[[sha256.Size]byte]time.Time{}
	}
	v.at[verifiedKey(principal, url)] = now
}

// verify returns when the callback of a request was verified. last is when it was verified for this subscription; the
// zero time if it was not. verify sends a challenge, unless the callback answered one of the same principal not long
// ago, or the operator or a document of its origin vouches for it.
func (d *Desk) verify(ctx context.Context, r *event.Request, secret sign.Secret, last time.Time) (time.Time, error) {
	now := time.Now()
	if now.Sub(last) < verifiedFor {
		return last, nil
	}
	if at := d.verified.when(r.Caller.Subject, r.URL, now); !at.IsZero() {
		return at, nil
	}
	if d.trusted(r.URL) {
		return now, nil
	}
	for _, of := range []struct {
		limiter *ratelimit.Limiter
		name    string
		most    int
	}{{&d.perPrincipal, r.Caller.Subject, d.o.Challenges}, {&d.perHost, egress.Host(r.URL), d.o.PerHost}} {
		if of.limiter.Take(ratelimit.Key{Subject: of.name}, ratelimit.Rate{Calls: of.most, Per: time.Minute}, now) > 0 {
			return now, exhausted("challenges", of.most)
		}
	}
	if d.o.Documents && d.documented(ctx, r.URL) {
		d.verified.add(r.Caller.Subject, r.URL, now)
		return now, nil
	}
	word := d.challenge(ctx, r, secret)
	d.challenges.Add(1)
	if word != "" {
		d.failed.Add(1)
		return now, &event.Error{
			Kind: event.CallbackEndpoint, Message: "the callback did not answer the challenge", Reason: word,
		}
	}
	d.verified.add(r.Caller.Subject, r.URL, now)
	return now, nil
}

// challenge asks a callback to repeat a random text. It returns why the callback failed; "" if it did not. The request
// names the id of the subscription, which the client does not know yet, because receivers in use refuse requests
// without it.
func (d *Desk) challenge(ctx context.Context, r *event.Request, secret sign.Secret) (word string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	nonce := rand.Text() + rand.Text()
	body := sign.Message("verification", map[string]any{"challenge": nonce})
	id, _ := idOf(r)
	h := http.Header{}
	h.Set(sign.HeaderSubscription, id)
	sign.Set(h, sign.NewID("verification"), time.Now(), body, secret)
	answer, err := d.o.Post(ctx, r.URL, h, body)
	if word := egress.Word(answer, err); word != "" {
		return word
	}
	var echo map[string]json.RawMessage
	var text string
	if json.Unmarshal(answer.Body, &echo) != nil || json.Unmarshal(echo["challenge"], &text) != nil ||
		subtle.ConstantTimeCompare([]byte(text), []byte(nonce)) != 1 {
		return "challenge_failed"
	}
	if _, ours := echo["type"]; ours { // the callback sends back whatever comes: that is no consent
		return "challenge_failed"
	}
	return ""
}

func exhausted(limit string, most int) *event.Error {
	return &event.Error{
		Kind: event.ResourceExhausted, Message: "too many " + limit + ": try again later", Limit: limit, Max: most,
	}
}
