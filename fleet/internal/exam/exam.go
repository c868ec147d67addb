// Package exam asks a fleet to which nothing happens for what it promises: each client is told of each update within a
// short time, whichever replica writes, subscribes, answers or has the stream. Nothing here waits until everybody has
// been told that everything may have changed, so that what gets lost stays lost and is seen.
package exam

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/fleet/serve"
	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
)

// Notes that the standing clients of a run subscribe to: all of them the first, listens those up to the second. Those
// above belong to the exams.
const (
	NotesOfAll     = 40
	NotesOfListens = 120
)

// Hall is what exams need of a fleet.
type Hall struct {
	// Replicas are the endpoints of the replicas, and Front that of the balancer.
	Replicas []string
	Front    string
	Checker  *verdict.Checker
	State    *serve.State
	Seed     uint64
	// Stop lets a replica end as a rolling update does, and Start starts it again.
	Stop  func(replica int)
	Start func(ctx context.Context, replica int) error
	// Bound is the time in which an update must arrive. It is longer while the machine has much else to do.
	Bound time.Duration

	pace   pace
	series atomic.Uint64
	sat    atomic.Uint64 // exams until now
	places atomic.Int64  // notes and secrets that exams have taken
	notes  sync.Mutex    // held by an exam that writes to notes of all
	lists  sync.Mutex    // held by an exam that changes lists, or that needs them as they are
}

// Exam is one exam.
type Exam struct {
	Name string
	do   func(p *paper)
}

// All are all exams.
func All() []Exam {
	return []Exam{
		{"each update is told", told}, {"a hundred updates at once", burst}, {"two writers", twins},
		{"many updates of one transaction", flood}, {"a value that changes while it is loaded", reloaded},
		{"subscriptions of a session", churn}, {"the end of a session", ends}, {"lists", lists},
		{"the log level of a session", levels}, {"lists of a stream that moves", moved},
		{"questions", questions}, {"request states", states}, {"rights", rights}, {"a response that is resumed", resumed},
		{"tasks", tasks}, {"tasks of 2025-11-25", legacyTasks}, {"tasks that are cancelled", cancelled},
		{"tasks in the middle", midway},
		{"sessions of others", strangers},
	}
}

// Told are those that ask whether updates are told, and need no more than a few seconds.
func Told() []Exam { return All()[:3] }

// Closing are those for which replicas end and start again.
func Closing() []Exam { return []Exam{{"writes while a replica closes", closes}} }

// Sealed are those of a fleet that has no store of sessions.
func Sealed() []Exam {
	return []Exam{
		{"a session with a sealed id", sealed}, {"questions", questions}, {"sessions of others", strangers},
	}
}

// Tries is how often an exam is taken if the machine has stood still meanwhile, or was slow.
const Tries = 3

// Sit takes exams, a few at a time, and reports what was wrong.
func (h *Hall) Sit(ctx context.Context, exams []Exam) {
	order := client.NewRandom(h.Seed, 1<<40+h.sat.Load()).Perm(len(exams))
	var wg sync.WaitGroup
	room := make(chan struct{}, 3)
	for _, i := range order {
		room <- struct{}{}
		n := h.sat.Add(1)
		wg.Go(func() {
			defer func() { <-room }()
			h.sit(ctx, exams[i], n)
		})
	}
	wg.Wait()
}

func (h *Hall) sit(ctx context.Context, e Exam, n uint64) {
	for try := range Tries {
		name := fmt.Sprintf("exam %d, %s", n, e.Name)
		still := h.Stalled()
		sitting, cancel := context.WithTimeout(ctx, 2*time.Minute)
		p := &paper{Hall: h, ctx: sitting, cancel: cancel, seen: h.Checker.Client(name), user: fmt.Sprintf("u%d-%d", n, try),
			random: client.NewRandom(h.Seed, 1<<41+n<<4+uint64(try))}
		p.run(e)
		cancel()
		h.Checker.Remove(p.seen)
		if len(p.found) == 0 || ctx.Err() != nil {
			return
		}
		if !h.IsDisturbed(still) || try == Tries-1 {
			h.Checker.Report(p.found...)
			return
		}
	}
}

// paper is one attempt at an exam.
type paper struct {
	*Hall
	ctx    context.Context
	cancel context.CancelFunc
	seen   *verdict.Client
	random *rand.Rand
	user   string

	mu    sync.Mutex
	found []verdict.Violation
}

// errOver ends an exam whose further questions make no sense.
var errOver = errors.New("the exam is over")

func (p *paper) run(e Exam) {
	defer func() {
		if r := recover(); r != nil && r != errOver { //nolint:errorlint // that very value
			panic(r)
		}
	}()
	e.do(p)
}

// wrongf notes a violation.
func (p *paper) wrongf(kind verdict.Kind, what, format string, args ...any) {
	v := p.seen.Violation(kind, what, format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = append(p.found, v)
}

// mustf ends the exam if a request has failed, which must not be. It is for the goroutine of the exam.
func (p *paper) mustf(err error, format string, args ...any) {
	if err == nil {
		return
	}
	p.wrongf(verdict.Refused, "", "%s: %v", fmt.Sprintf(format, args...), err)
	panic(errOver)
}

// perm returns the replicas in an order.
func (p *paper) perm() []int { return p.random.Perm(len(p.Replicas)) }

// conn returns a conn to one replica, or to the balancer.
func (p *paper) conn(i int, revision string) *client.Conn {
	url := p.Front
	if i >= 0 {
		url = p.Replicas[i]
	}
	c := client.NewConn(url, revision, p.seen)
	c.User = p.user
	return c
}

// at returns a conn like another one to another replica.
func (p *paper) at(c *client.Conn, i int) *client.Conn { return c.At(p.Replicas[i]) }

// own returns notes that are nobody else's for a while.
func (p *paper) own(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = NotesOfListens + 1 + p.places.Add(1)%(serve.Notes-NotesOfListens)
	}
	return out
}

// URI returns the URI of a value of a kind.
func URI(kind string, n int64) string { return kind + ":///" + strconv.FormatInt(n, 10) }

// write writes a new value through a replica, and returns it.
func (p *paper) write(replica int, kind string, n int64) (string, error) {
	return p.Write(p.ctx, p.conn(replica, client.Modern), fmt.Sprint("replica ", replica), kind, n)
}

// valueURIs returns the URIs of what a write of a kind changes.
func valueURIs(kind string, n int64) []string {
	switch kind {
	case "account":
		region, id := serve.AccountKey(n)
		return []string{crm.AccountURI(region, id), crm.HistoryURI(region, id)}
	case "card":
		key := serve.CardKey(n)
		return []string{board.CardURI(key.Column, key.No)}
	case "person":
		return []string{board.PersonURI("ops", n)}
	case "notes":
		out := make([]string, n)
		for i := range out {
			out[i] = URI("note", int64(i+1))
		}
		return out
	}
	return []string{URI(kind, n)}
}

// Write writes a new value and notes how that has ended.
func (h *Hall) Write(ctx context.Context, c *client.Conn, where, kind string, n int64) (string, error) {
	value := fmt.Sprintf("x%d", h.series.Add(1))
	process, err := c.Tool(ctx, "", "edit", map[string]any{"kind": kind, "number": n, "value": value})
	if err == nil {
		where += ", process " + process
	}
	for _, uri := range valueURIs(kind, n) {
		h.Checker.Wrote(uri, value, where, err)
	}
	return value, err
}

// bound is Bound on this machine now.
func (h *Hall) bound() time.Duration { return h.Stretch(h.Bound) }

// Known waits until all clients that subscribe to these URIs know these values, and returns who does not in time.
func (h *Hall) Known(ctx context.Context, truth map[string]string) []verdict.Violation {
	for begun := time.Now(); ; {
		behind := h.Checker.Behind(truth)
		if len(behind) == 0 || time.Since(begun) > h.bound() || ctx.Err() != nil {
			return behind
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// known is Known with its result among what is wrong.
func (p *paper) known(truth map[string]string) {
	for _, v := range p.Known(p.ctx, truth) {
		v.Kind, v.Text = verdict.Unheard, fmt.Sprintf("not within %v: %s", p.bound(), v.Text)
		p.mu.Lock()
		p.found = append(p.found, v)
		p.mu.Unlock()
	}
}

// pause waits for a random time.
func (p *paper) pause(most time.Duration) {
	select {
	case <-p.ctx.Done():
	case <-time.After(time.Duration(p.random.Int64N(int64(most) + 1))):
	}
}
