// Package shapes serves one resource or tool of every shape that mcpgen knows: each way to declare
// one, each kind of result, of template variable and of tool argument. It does nothing useful.
//
//mcp:server name=shapes version=1.0.0 title="All shapes" desc="One of everything." url=https://example.com/shapes page=10
//mcp:cache ttl=90s
package shapes

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Clock answers with times. Its zero value is ready to use.
type Clock struct {
	// Now is what it shows.
	Now time.Time
}

// Shelf is a place for things in order. It is a value, not a pointer.
type Shelf struct {
	// Things are what lies on it.
	Things []string
}

// Text is a string type.
type Text string

// Motto is an embedded text of a type of its own.
//
//go:embed motto.txt
//mcp:resource uri=shapes:///motto title="The motto" mime=text/x-motto
//mcp:annotate priority=1 modified=2026-07-28T00:00:00Z
//mcp:meta com.example/owner=finance com.example/quote="say \"no\""
var Motto Text

// Logo is an embedded text in bytes.
//
//go:embed logo.svg
//mcp:resource uri=shapes:///logo
//mcp:cache ttl=1h scope=public
var Logo []byte

// Dot is an embedded picture.
//
//go:embed dot.gif
//mcp:resource uri=shapes:///dot
var Dot []byte

// Mood is a variable: it is read anew each time.
//
//mcp:resource uri=shapes:///mood size=4
var Mood Text = "fine"

// Token is a variable of bytes.
//
//mcp:resource uri=shapes:///token mime=application/octet-stream
var Token = []byte{1, 2, 3}

// Time tells the time, and tells when it has changed.
//
//mcp:resource uri=shapes:///time subscribe
func (c *Clock) Time(ctx context.Context) (Text, error) {
	return Text(c.Now.UTC().Format(time.RFC3339)), nil
}

// WatchTime reports one change at once.
//
//mcp:watch of=Time
func (c *Clock) WatchTime(ctx context.Context) iter.Seq2[time.Time, error] {
	return func(yield func(time.Time, error) bool) {
		if yield(c.Now, nil) {
			<-ctx.Done()
		}
	}
}

// Bytes returns binary content.
//
//mcp:resource uri=shapes:///bytes
func Bytes(ctx context.Context) ([]byte, error) { return []byte{0xff}, nil }

// Page returns text in bytes.
//
//mcp:resource uri=shapes:///page mime=text/html
func Page(ctx context.Context) ([]byte, error) { return []byte("<p>"), nil }

// Stream returns a reader.
//
//mcp:resource uri=shapes:///stream
func Stream(ctx context.Context) (io.Reader, error) { return strings.NewReader("flow"), nil }

// Verse returns a reader of text.
//
//mcp:resource uri=shapes:///verse mime=text/plain
func Verse(ctx context.Context) (io.Reader, error) { return strings.NewReader("so it flows"), nil }

// Point is sent as JSON.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Origin returns a struct. It is told who asks.
//
//mcp:resource uri=shapes:///origin
func (s Shelf) Origin(ctx context.Context, call *mcp.Call) (*Point, error) {
	if call.URI() != "shapes:///origin" {
		return nil, nil
	}
	return &Point{X: len(s.Things)}, nil
}

// Colour has a text form of its own.
type Colour int

// MarshalText writes the colour as #rrggbb.
func (c Colour) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "#%06x", int(c)), nil }

// UnmarshalText reads it back.
func (c *Colour) UnmarshalText(text []byte) error {
	if len(text) != len("#rrggbb") {
		return fmt.Errorf("%q is no colour", text)
	}
	_, err := fmt.Sscanf(string(text), "#%06x", (*int)(c))
	return err
}

// Paint returns a text marshaler.
//
//mcp:resource uri=shapes:///paint
func Paint(ctx context.Context) (Colour, error) { return 0xff8800, nil }

// Piece returns one content.
//
//mcp:resource uri=shapes:///piece
func Piece(ctx context.Context) (mcp.Content, error) {
	return mcp.Content{Text: "one", MIMEType: "text/x-piece"}, nil
}

// Pieces returns several contents.
//
//mcp:resource uri=shapes:///pieces mime=text/x-piece
func (s Shelf) Pieces(ctx context.Context) ([]mcp.Content, error) {
	pieces := []mcp.Content{}
	for _, thing := range s.Things {
		pieces = append(pieces, mcp.Content{URI: ThingURI(thing), Text: thing})
	}
	return pieces, nil
}

// Flow yields contents.
//
//mcp:resource uri=shapes:///flow
func Flow(ctx context.Context) (iter.Seq2[mcp.Content, error], error) {
	return func(yield func(mcp.Content, error) bool) {
		_ = yield(mcp.Content{Text: "a"}, nil) && yield(mcp.Content{Blob: []byte("b")}, nil)
	}, nil
}

// Ready returns contents as the runtime has them.
//
//mcp:resource uri=shapes:///ready
func Ready(ctx context.Context) (mcp.Contents, error) { return mcp.Many(), nil }
