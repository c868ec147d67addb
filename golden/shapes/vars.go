package shapes

import (
	"context"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Level is how loud a log is.
//
//mcp:enum
type Level string

// The levels.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
)

// Rank is an enum of numbers.
//
//mcp:enum
type Rank int

// The ranks.
const (
	Low  Rank = 1
	High Rank = 10
)

// ThingID is a string type.
type ThingID = string

// Thing returns one thing of the shelf.
//
//mcp:resource uri=things:///{thing} subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var thing minlen=2 maxlen=8 "desc=the name of the thing\non the shelf"
func (s Shelf) Thing(ctx context.Context, thing ThingID) (string, error) {
	if !slices.Contains(s.Things, thing) {
		return "", mcp.ErrNotFound
	}
	return thing, nil
}

// ListThings lists the things, two on a page.
//
//mcp:list of=Thing
func (s Shelf) ListThings(ctx context.Context, page mcp.Page) (mcp.List[ThingRef], error) {
	var list mcp.List[ThingRef]
	rest := s.Things[max(0, slices.Index(s.Things, page.Cursor)):]
	for i, thing := range rest {
		if i == 2 {
			list.Next = thing
			break
		}
		list.Items = append(list.Items, ThingRef{Thing: thing})
	}
	return list, nil
}

// Logs returns the lines of a host.
//
//mcp:resource uri=logs:///{host}/{level}{?since,limit,step} mime=text/plain list=none subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var since default=-1h
//mcp:var limit default=100 min=1 max=1000
//mcp:var step default=1m30s
func (c *Clock) Logs(ctx context.Context, host netip.Addr, level Level, since time.Time, limit int,
	step time.Duration) (string, error) {
	recent := time.Since(since) < 2*time.Hour
	return fmt.Sprint(host, level, recent, limit, step), nil
}

// CompleteHost proposes hosts for a level.
//
//mcp:complete of=Logs var=host
func (c *Clock) CompleteHost(ctx context.Context, prefix string, level Level) ([]string, error) {
	return []string{prefix + string(level)}, nil
}

// CompleteLimit proposes limits for a host.
//
//mcp:complete of=Logs var=limit
func CompleteLimit(ctx context.Context, prefix string, host netip.Addr, since time.Time) ([]string, error) {
	return []string{prefix + host.String() + since.UTC().Format(time.DateOnly)}, nil
}

// Week returns the report of a week.
//
//mcp:resource uri=reports:///week-{year}-{week}.md subscribe
//mcp:var week min=1 max=53
func Week(ctx context.Context, year uint16, week int8) (string, error) {
	return fmt.Sprint(year, week), nil
}

// ListWeeks lists one week, and one that Week refuses: lists leave it out.
//
//mcp:list of=Week changes
func ListWeeks(ctx context.Context) iter.Seq2[WeekRef, error] {
	return func(yield func(WeekRef, error) bool) {
		_ = yield(WeekRef{Year: 2026, Week: 54}, nil) && yield(WeekRef{Year: 2026, Week: 31}, nil)
	}
}

// WatchWeek reports one change of a last week.
//
//mcp:watch of=Week
func WatchWeek(ctx context.Context, week int8) iter.Seq2[time.Time, error] {
	return func(yield func(time.Time, error) bool) {
		if week != 53 || yield(time.Time{}, nil) {
			<-ctx.Done()
		}
	}
}

// Day returns a day.
//
//mcp:resource uri=days:///{day} list=none subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var day layout=2006-01-02
func Day(ctx context.Context, day time.Time) (string, error) { return day.Weekday().String(), nil }

// File returns a file by its path.
//
//mcp:resource uri=files:///{+path} list=none subscribe
//mcp:allow MCP503 the test reports the changes
func File(ctx context.Context, path string) (string, error) { return path, nil }

// FileSize is more specific than File.
//
//mcp:resource uri=files:///{+path}/size list=none subscribe
//mcp:allow MCP503 the test reports the changes
func FileSize(ctx context.Context, path string) (string, error) { return fmt.Sprint(len(path)), nil }

// Trail returns a path in pieces.
//
//mcp:resource uri=trail://{/steps*} list=none subscribe
//mcp:allow MCP503 the test reports the changes
func Trail(ctx context.Context, steps []int64) (string, error) { return fmt.Sprint(steps), nil }

// Place returns a place on a map.
//
//mcp:resource uri=places:///{lat},{lon}{?zoom} list=none subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var zoom default=1.5
func Place(ctx context.Context, lat, lon float64, zoom float32) (string, error) {
	return fmt.Sprint(lat, lon, zoom), nil
}

// Code is the name of a colour.
type Code string

// Part returns a part by its number. What does not look like one is refused before the function is called.
//
//mcp:resource uri=stock:///{number}{?colour*,size} list=none subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var number "pattern=[A-Z]{2}-[0-9]+|spare" maxlen=9
//mcp:var colour pattern=[a-z]+
//mcp:var size pattern=[0-9]+x[0-9]+
func Part(ctx context.Context, number string, colour []Code, size *string) (string, error) {
	return fmt.Sprint(number, colour, size != nil), nil
}

// Find searches. All its variables may be absent.
//
//mcp:resource uri=things:///shelf/find{?tag*,page,exact,all,text,colour,rank} subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var tag minlen=1
//mcp:var page min=1
//mcp:var exact default=false
//mcp:var all default=true
//mcp:var text default="no text"
//mcp:var colour default=#ffffff
//mcp:var rank default=10
func (s Shelf) Find(ctx context.Context, tag []Text, page *int, exact, all bool, text string, colour Colour,
	rank Rank) (string, error) {
	if page == nil {
		page = new(-1)
	}
	return fmt.Sprint(tag, *page, exact, all, text, int(colour), rank), nil
}

// ListFind lists one search, and one that Find refuses: lists leave it out.
//
//mcp:list of=Find
func ListFind(ctx context.Context) iter.Seq2[FindRef, error] {
	return func(yield func(FindRef, error) bool) {
		_ = yield(FindRef{Page: new(0), Colour: 0xffffff}, nil) &&
			yield(FindRef{Tag: []Text{"a b", "c"}, Page: new(2), Exact: true, Colour: 0xffffff}, nil)
	}
}

// Raw takes any text.
//
//mcp:resource uri=raw:///{text}{?must} list=none subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:var text raw
//mcp:allow MCP702 it is given back and nothing else
//mcp:var must required
func Raw(ctx context.Context, text, must Text) (Text, error) { return text + must, nil }

// Parts are joined with the operators of RFC 6570.
//
//mcp:resource uri=parts:///{name}{.ext}{;size} list=none subscribe
//mcp:allow MCP503 the test reports the changes
func Parts(ctx context.Context, name, ext string, size uint) (string, error) {
	return strings.Join([]string{name, ext, fmt.Sprint(size)}, "|"), nil
}

// Book has an opaque URI.
//
//mcp:resource uri=urn:isbn:{isbn} list=none subscribe
//mcp:allow MCP503 the test reports the changes
func Book(ctx context.Context, isbn string) (string, error) { return isbn, nil }

// Maybe has pointers of several types.
//
//mcp:resource uri=maybe:///{rank}{?at,addr,wait,ok} list=none subscribe
//mcp:allow MCP503 the test reports the changes
func Maybe(ctx context.Context, rank Rank, at *time.Time, addr *netip.Addr, wait *time.Duration, ok *bool) (string,
	error) {
	return fmt.Sprint(rank, at != nil, addr != nil, wait != nil, ok != nil), nil
}

// Names has parameters that generated code must not be confused by.
//
//mcp:resource uri=names:///{b}/{uri}/{err}/{string}/{wire} list=none subscribe
//mcp:allow MCP503 the test reports the changes
//nolint:predeclared // that is the point
func Names(ctx context.Context, b, uri, err string, string bool, wire uint8) (Text, error) {
	return Text(fmt.Sprint(b, uri, err, string, wire)), nil
}

// Attic is where old things are.
type Attic struct{}

// Thing returns one thing of the attic. A method of another type has its name, so what is generated is called
// after name=.
//
//mcp:resource uri=attic:///{thing} name=attic-thing list=none subscribe
//mcp:allow MCP503 the attic is dark
func (Attic) Thing(ctx context.Context, thing string) (string, error) { return "old " + thing, nil }
