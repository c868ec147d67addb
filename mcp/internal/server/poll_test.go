package server

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
)

// A poll reports a change once, an error once, and nothing while the content is what it was.
func TestPoll(t *testing.T) {
	t.Attr("requirements", "subscribe-implications")
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		type state struct {
			text string
			err  error
		}
		states := []state{{text: "a"}, {text: "a"}, {text: "b"}, {err: broken}, {err: broken}, {text: "b"},
			{err: content.ErrNotFound}, {err: content.ErrNotFound}, {text: ""}}
		reads := 0
		p := new(call.PathCall)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.Request().Base = ctx
		watch := Poll(time.Minute, func(*call.Call) (content.Contents, error) {
			s := states[min(reads, len(states)-1)]
			if reads++; reads == len(states)+3 {
				p.End(context.Canceled)
			}
			return content.AsText(s.text, s.err)
		})
		start := time.Now()
		seq, err := watch(&p.Call)
		if err != nil || reads != 1 || time.Since(start) != 0 {
			t.Fatalf("the first look is taken at once: %d reads, %v", reads, err)
		}
		var at []int
		var errs []error
		for _, err := range seq {
			at = append(at, reads)
			errs = append(errs, err)
		}
		want := []int{3, 4, 6, 7, 9}
		if len(at) != len(want) {
			t.Fatalf("news at reads %v, want %v", at, want)
		}
		for i := range want {
			if at[i] != want[i] || (errs[i] != nil) != (at[i] == 4) {
				t.Errorf("news %d at read %d (%v), want %d", i, at[i], errs[i], want[i])
			}
		}
		waits := float64(len(states) + 2)
		if minutes := time.Since(start).Minutes(); minutes < 0.9*waits || minutes > 1.1*waits {
			t.Errorf("%v waits took %v minutes", waits, minutes)
		}
	})
}

// A look that panics is an error like others, and the next look is made.
func TestPollGoesOnAfterPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		c := new(call.Call)
		seq, err := Poll(time.Second, func(*call.Call) (content.Contents, error) {
			if looks++; looks == 2 {
				panic("boom")
			}
			return content.Text("same"), nil
		})(c)
		if err != nil {
			t.Fatal(err)
		}
		var news []bool
		for _, err := range seq {
			if news = append(news, err != nil); len(news) == 2 {
				break
			}
		}
		if !slices.Equal(news, []bool{true, false}) || looks != 3 {
			t.Errorf("errors %v after %d looks", news, looks)
		}
	})
}
