package deliver

import (
	"context"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/egress"
)

// Options configures an [Engine]. withDefaults says what zero values mean.
type Options struct {
	Store event.Store
	// Post sends a request, as [egress.Client.Post] does.
	Post func(ctx context.Context, to string, header http.Header, body []byte) (*egress.Answer, error)
	// Principal asks the program for the rights that a subject has now, and RightsFor is how long they count. The error
	// is [event.ErrNoPrincipal] if the subject does not exist any more; then Erase ends and erases its subscriptions. A
	// nil Principal means that the rights in the subscription count.
	Principal func(ctx context.Context, subject string) (event.Caller, error)
	RightsFor time.Duration
	Erase     func(ctx context.Context, subject string) error
	// Retries are the pauses before the attempts that follow a failed one. If the attempt after the last pause fails too,
	// the event is abandoned.
	Retries []time.Duration
	// Window is how many events of a subscription may be on their way, or delivered and not saved yet.
	Window int
	// InFlight, PerHost and PerPrincipal are how many attempts run at once: in all, to one host, for one principal.
	InFlight, PerHost, PerPrincipal int
	// FailuresPerHost is how many attempts to a host may fail in a minute before the others wait.
	FailuresPerHost int
	// GiveUp is how long the callback of a subscription without an end may fail until it is ended.
	GiveUp time.Duration
	// Lease is how long a replica must be silent for others to take its shards.
	Lease time.Duration
	// Poll is how often changes by other replicas are looked for.
	Poll time.Duration
}

func (o Options) withDefaults() Options {
	if o.Retries == nil {
		o.Retries = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute}
	}
	orDefault(&o.Window, 8)
	orDefault(&o.InFlight, 512)
	orDefault(&o.PerHost, 8)
	orDefault(&o.PerPrincipal, 32)
	orDefault(&o.FailuresPerHost, 120)
	orDefault(&o.GiveUp, 72*time.Hour)
	orDefault(&o.Lease, 10*time.Second)
	orDefault(&o.RightsFor, time.Minute)
	orDefault(&o.Poll, 500*time.Millisecond)
	return o
}

// orDefault sets an option that is not positive.
func orDefault[T int | time.Duration](option *T, value T) {
	if *option <= 0 {
		*option = value
	}
}
