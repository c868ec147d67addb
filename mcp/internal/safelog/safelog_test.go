package safelog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

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
