package desk

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/ratelimit"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/keys"
)

// patience is how long the store and a callback may take for a call.
const patience = 10 * time.Second

// Options configures a [Desk]. Numbers and durations that are 0 mean the default.
type Options struct {
	Store event.Store
	// Post sends a request, as [egress.Client.Post] does.
	Post func(ctx context.Context, to string, header http.Header, body []byte) (*egress.Answer, error)
	// Get reads what is at a URL.
	Get func(ctx context.Context, from string) (*egress.Answer, error)
	// Trusted are prefixes of URLs whose callbacks need no challenge. If Documents is set, a callback needs no challenge
	// either if its origin lists it in a document.
	Trusted   []string
	Documents bool
	// Check says what is wrong with the URL of a callback; nil if nothing is.
	Check func(url string) error
	// Keys seals secrets.
	Keys keys.Sealer
	// Changed is called with each change that was made.
	Changed func(...event.Stored)
	// Record writes a record of the audit.
	Record func(event.Record)
	// Challenges is how many challenges a principal may cause in a minute, by default 10. PerHost is how many one host
	// gets from all principals together, by default 600, so that one principal cannot use up those of the others.
	Challenges, PerHost int
	// Limits bound the subscriptions; by default 100 of a principal and 100,000 in all.
	Limits event.SubscriptionLimits
	// MinTTL and MaxTTL bound how long a subscription lasts; by default a minute and a day. TTL is for clients that do not
	// say how long; by default an hour.
	MinTTL, TTL, MaxTTL time.Duration
	// Forever grants subscriptions without an end to clients that ask for it.
	Forever bool
	// Rotation is how long a secret that was replaced signs too; by default 10 minutes.
	Rotation time.Duration
}

// Desk takes subscriptions. It is safe for concurrent use.
type Desk struct {
	o Options

	perPrincipal, perHost ratelimit.Limiter // of challenges
	verified              verified
	challenges, failed    atomic.Int64
}

// New returns a desk.
func New(o Options) *Desk {
	for _, n := range []struct {
		field *int
		value int
	}{{&o.Challenges, 10}, {&o.PerHost, 600}, {&o.Limits.PerPrincipal, 100}, {&o.Limits.Total, 100_000}} {
		if *n.field <= 0 {
			*n.field = n.value
		}
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{{&o.MinTTL, time.Minute}, {&o.TTL, time.Hour}, {&o.MaxTTL, 24 * time.Hour}, {&o.Rotation, 10 * time.Minute}} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return &Desk{o: o}
}

// Challenges returns how many challenges were sent, and how many of them have failed.
func (d *Desk) Challenges() (asked, failed int64) { return d.challenges.Load(), d.failed.Load() }
