package safelog_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// rude panics in the method that is named.
type rude struct {
	slog.Handler
	in string
}

func (r rude) panics(in string) {
	if r.in == in {
		panic(in)
	}
}

func (r rude) Enabled(ctx context.Context, level slog.Level) bool {
	r.panics("Enabled")
	return r.Handler.Enabled(ctx, level)
}

func (r rude) Handle(ctx context.Context, record slog.Record) error {
	r.panics("Handle")
	return r.Handler.Handle(ctx, record)
}

func (r rude) WithAttrs(attrs []slog.Attr) slog.Handler {
	r.panics("WithAttrs")
	return rude{r.Handler.WithAttrs(attrs), r.in}
}

func (r rude) WithGroup(name string) slog.Handler {
	r.panics("WithGroup")
	return rude{r.Handler.WithGroup(name), r.in}
}

func TestHandlerThatPanics(t *testing.T) {
	for in, want := range map[string]string{
		"":          "level=INFO msg=hello a=1 g.b=2\n",
		"Enabled":   "",
		"Handle":    "",
		"WithAttrs": "level=INFO msg=hello g.b=2\n",
		"WithGroup": "level=INFO msg=hello a=1 b=2\n",
	} {
		t.Run(in, func(t *testing.T) {
			var b bytes.Buffer
			noTime := func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}
			l := safelog.New(slog.New(rude{slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: noTime}), in}))
			if again := safelog.New(l); again != l {
				t.Error("made safe twice")
			}
			l.With("a", 1).WithGroup("g").Info("hello", "b", 2)
			if b.String() != want {
				t.Errorf("got %q, want %q", b.String(), want)
			}
		})
	}
}

// value is an attribute that panics when it is written.
type value struct{}

func (value) LogValue() slog.Value { panic("no value") }

func TestAttributeThatPanics(t *testing.T) {
	t.Attr("requirements", "log-validate")
	var b bytes.Buffer
	l := safelog.New(slog.New(slog.NewTextHandler(&b, nil)))
	l.Info("one", "v", value{})
	l.Info("two")
	if !strings.Contains(b.String(), "msg=two") {
		t.Errorf("nothing after it: %q", b.String())
	}
	if safelog.New(nil) != nil {
		t.Error("a logger out of nothing")
	}
}

// slow takes as long as it is told to.
type slow struct {
	slog.Handler
	begun, on chan struct{}
}

func (s slow) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "slow" {
		close(s.begun)
		<-s.on
	}
	return s.Handler.Handle(ctx, r)
}

// A handler that hangs holds nobody up for longer than a second; what is lost is counted.
func TestHandlerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		s := slow{slog.NewTextHandler(&b, nil), make(chan struct{}), make(chan struct{})}
		l := safelog.New(slog.New(s))
		start := time.Now()
		l.Info("slow")
		for range 3 {
			l.With("a", 1).Info("lost")
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("held up for %v", d)
		}
		close(s.on)
		synctest.Wait()
		l.Info("next")
		if got := b.String(); strings.Contains(got, "msg=lost") || !strings.Contains(got, "count=3") ||
			!strings.Contains(got, "msg=next") {
			t.Errorf("%s", got)
		}
	})
}

// loud logs about each record once more, through the logger that it belongs to.
type loud struct {
	slog.Handler
	self *slog.Logger
}

func (h *loud) Handle(ctx context.Context, r slog.Record) error {
	if !strings.HasPrefix(r.Message, "about ") {
		h.self.Info("about " + r.Message)
	}
	return h.Handler.Handle(ctx, r)
}

// A handler may log, and may end its goroutine.
func TestHandlerThatLogs(t *testing.T) {
	var b bytes.Buffer
	h := &loud{Handler: slog.NewTextHandler(&b, nil)}
	l := safelog.New(slog.New(h))
	h.self = l
	l.Info("one")
	if got := b.String(); !strings.Contains(got, `msg="about one"`) || !strings.Contains(got, "msg=one") {
		t.Errorf("%s", got)
	}
	safelog.New(slog.New(exits{h})).Info("gone")
}

type exits struct{ slog.Handler }

func (exits) Handle(context.Context, slog.Record) error { runtime.Goexit(); return nil }
