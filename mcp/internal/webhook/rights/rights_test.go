package rights_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/rights"
)

// program answers questions about one principal.
type program struct {
	book  *rights.Book[int]
	says  error
	asked int
	gone  []string
	again []int
}

// newProgram returns a program whose answers count for a minute. The book ends with the test.
func newProgram(t *testing.T) *program {
	p := new(program)
	life, end := context.WithCancel(t.Context())
	p.book = rights.New(rights.Options[int]{
		Ask: func(context.Context, string) (event.Caller, error) {
			p.asked++
			return event.Caller{Scopes: []string{"read"}}, p.says
		},
		For:    time.Minute,
		Gone:   func(_ context.Context, subject string) error { p.gone = append(p.gone, subject); return nil },
		Again:  func(who []int) { p.again = append(p.again, who...) },
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
		synctest.Wait()
		slices.Sort(p.again)
		if p.asked != 1 || !slices.Equal(p.again, []int{1, 2}) {
			t.Errorf("asked %d times, %d go on", p.asked, p.again)
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
		p.says = errors.New("no database")
		p.book.Await("ann", 1)
		synctest.Wait()
		if len(p.again) != 0 {
			t.Errorf("%d go on without an answer", p.again)
		}
		p.says = nil
		time.Sleep(time.Second)
		synctest.Wait()
		if p.asked != 2 || !slices.Equal(p.again, []int{1}) {
			t.Errorf("asked %d times, %d go on", p.asked, p.again)
		}
	})
}

// What a principal had ends when the program does not know it any more.
func TestGonePrincipals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t)
		p.says = event.ErrNoPrincipal
		p.book.Await("ann", 1)
		synctest.Wait()
		if !slices.Equal(p.gone, []string{"ann"}) || len(p.again) != 0 {
			t.Errorf("gone: %q; %d go on", p.gone, p.again)
		}
	})
}
