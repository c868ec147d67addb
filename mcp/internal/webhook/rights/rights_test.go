package rights_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/rights"
)

// program answers questions about one principal.
type program struct {
	book *rights.Book[int]
	says []error // what it answers to each question; no error to those after the last

	mu    sync.Mutex
	asked int
	gone  []string
	again []int
}

// ask takes a millisecond.
func (p *program) ask(context.Context, string) (event.Caller, error) {
	time.Sleep(time.Millisecond)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.asked <= len(p.says) {
		return event.Caller{}, p.says[p.asked-1]
	}
	return event.Caller{Scopes: []string{"read"}}, nil
}

// newProgram returns a program whose answers count for a minute. The book ends with the test.
func newProgram(t *testing.T) *program {
	p := new(program)
	life, end := context.WithCancel(t.Context())
	p.book = rights.New(rights.Options[int]{
		Ask: p.ask,
		For: time.Minute,
		Gone: func(_ context.Context, subject string) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.gone = append(p.gone, subject)
			return nil
		},
		Again: func(who []int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.again = append(p.again, who...)
		},
		Waits:  func(int) bool { return true },
		Failed: func(string, error) {},
		Life:   life,
	})
	t.Cleanup(func() {
		end()
		p.book.Close().Wait()
	})
	return p
}

// after waits and returns what p has noted by then.
func (p *program) after(d time.Duration) (asked int, gone []string, again []int) {
	time.Sleep(d)
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked, slices.Clone(p.gone), slices.Sorted(slices.Values(p.again))
}

// Who waits goes on when the answer is there. The answer counts for a while.
func TestAnswersCountForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t)
		ann := event.Caller{Subject: "ann"}
		if _, sure := p.book.Known(ann); sure {
			t.Error("known before anybody has asked")
		}
		p.book.Await("ann", 1)
		p.book.Await("ann", 2)
		if asked, _, again := p.after(time.Millisecond); asked != 1 || !slices.Equal(again, []int{1, 2}) {
			t.Errorf("asked %d times, %d go on", asked, again)
		}
		now, sure := p.book.Known(ann)
		if !sure || now.Subject != "ann" || !slices.Equal(now.Scopes, []string{"read"}) {
			t.Errorf("%+v, sure %v", now, sure)
		}
		time.Sleep(time.Minute)
		if _, sure := p.book.Known(ann); sure {
			t.Error("the answer counts too long")
		}
	})
}

// After a failure the program is asked again while somebody waits.
func TestFailuresAreAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t)
		p.says = []error{errors.New("no database")}
		p.book.Await("ann", 1)
		if _, _, again := p.after(time.Millisecond); len(again) != 0 {
			t.Errorf("%d go on without an answer", again)
		}
		if asked, _, again := p.after(2 * time.Second); asked != 2 || !slices.Equal(again, []int{1}) {
			t.Errorf("asked %d times, %d go on", asked, again)
		}
	})
}

// What a principal had ends when the program does not know it any more.
func TestGonePrincipals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t)
		p.says = []error{event.ErrNoPrincipal}
		p.book.Await("ann", 1)
		if _, gone, again := p.after(time.Millisecond); !slices.Equal(gone, []string{"ann"}) || len(again) != 0 {
			t.Errorf("gone: %q; %d go on", gone, again)
		}
	})
}
