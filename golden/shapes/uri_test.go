package shapes

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

var (
	loopback = netip.MustParseAddr("::1")
	noon     = time.Date(2026, 7, 28, 12, 0, 0, 5, time.FixedZone("", 7200))
)

// rebuild parses a URI and builds it again from its variables.
func rebuild(uri string) (string, error) {
	var tries []error
	for _, try := range []func(string) (string, error){
		func(u string) (string, error) { v, err := ParseThingURI(u); return ThingURI(v.Thing), err },
		func(u string) (string, error) {
			v, err := ParseAtticThingURI(u)
			return AtticThingURI(v.Thing), err
		},
		func(u string) (string, error) {
			v, err := ParseLogsURI(u)
			return LogsURI(v.Host, v.Level, v.Since, v.Limit, v.Step), err
		},
		func(u string) (string, error) { v, err := ParseWeekURI(u); return WeekURI(v.Year, v.Week), err },
		func(u string) (string, error) { v, err := ParseDayURI(u); return DayURI(v.Day), err },
		func(u string) (string, error) { v, err := ParseFileURI(u); return FileURI(v.Path), err },
		func(u string) (string, error) { v, err := ParseFileSizeURI(u); return FileSizeURI(v.Path), err },
		func(u string) (string, error) { v, err := ParseTrailURI(u); return TrailURI(v.Steps), err },
		func(u string) (string, error) {
			v, err := ParsePlaceURI(u)
			return PlaceURI(v.Lat, v.Lon, v.Zoom), err
		},
		func(u string) (string, error) {
			v, err := ParseFindURI(u)
			return FindURI(v.Tag, v.Page, v.Exact, v.All, v.Text, v.Colour, v.Rank), err
		},
		func(u string) (string, error) { v, err := ParseRawURI(u); return RawURI(v.Text, v.Must), err },
		func(u string) (string, error) {
			v, err := ParsePartsURI(u)
			return PartsURI(v.Name, v.Ext, v.Size), err
		},
		func(u string) (string, error) { v, err := ParseBookURI(u); return BookURI(v.Isbn), err },
		func(u string) (string, error) {
			v, err := ParsePartURI(u)
			return PartURI(v.Number, v.Colour, v.Size), err
		},
		func(u string) (string, error) {
			v, err := ParseMaybeURI(u)
			return MaybeURI(v.Rank, v.At, v.Addr, v.Wait, v.Ok), err
		},
		func(u string) (string, error) {
			v, err := ParseNamesURI(u)
			return NamesURI(v.B, v.URI, v.Err, v.String, v.Wire), err
		},
	} {
		again, err := try(uri)
		if err == nil {
			return again, nil
		}
		tries = append(tries, err)
	}
	return "", errors.Join(tries...)
}

// Builders leave out what a URI means without it, and parsers read back what builders write.
func TestURIs(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{ThingURI("a/ä"), "things:///a%2F%C3%A4"},
		{LogsURI(loopback, Info, noon, 7, time.Second),
			"logs:///%3A%3A1/info?since=2026-07-28T10%3A00%3A00.000000005Z&limit=7&step=1s"},
		{LogsURI(loopback, Warn, noon, 100, 90*time.Second), "logs:///%3A%3A1/warn?since=2026-07-28T10%3A00%3A00.000000005Z"},
		{WeekURI(2026, 5), "reports:///week-2026-5.md"},
		{DayURI(noon), "days:///2026-07-28"},
		{FileURI("a b/c?.txt"), "files:///a%20b/c%3F.txt"},
		{FileSizeURI("a/b"), "files:///a/b/size"},
		{TrailURI([]int64{1, -12}), "trail:///1/-12"},
		{PlaceURI(1.5, -1e-7, 1.5), "places:///1.5,-0.0000001"},
		{PlaceURI(0, 0, 2), "places:///0,0?zoom=2"},
		{FindURI(nil, nil, false, true, "no text", 0xffffff, High), "things:///shelf/find"},
		{
			FindURI([]Text{"a&b", "c"}, new(2), true, false, "", 0xff, Low),
			"things:///shelf/find?tag=a%26b&tag=c&page=2&exact=true&all=false&text=&colour=%230000ff&rank=1",
		},
		{RawURI("../x", "y"), "raw:///..%2Fx?must=y"},
		{PartsURI("a.b", "c.d", 30), "parts:///a%2Eb.c.d;size=30"},
		{PartsURI("a~b", "c", 3), "parts:///a~b.c;size=3"},
		{BookURI("978-3/x"), "urn:isbn:978-3%2Fx"},
		{MaybeURI(High, nil, nil, nil, nil), "maybe:///10"},
		{MaybeURI(Low, &noon, nil, nil, nil), "maybe:///1?at=2026-07-28T10%3A00%3A00.000000005Z"},
		{MaybeURI(Low, nil, &loopback, nil, nil), "maybe:///1?addr=%3A%3A1"},
		{MaybeURI(Low, nil, nil, new(time.Hour), nil), "maybe:///1?wait=1h0m0s"},
		{MaybeURI(Low, nil, nil, nil, new(true)), "maybe:///1?ok=true"},
		{PartURI("AB-1", []Code{"red", "blue"}, new("1x2")), "stock:///AB-1?colour=red&colour=blue&size=1x2"},
		{PartURI("spare", nil, nil), "stock:///spare"},
		{AtticThingURI("a/b"), "attic:///a%2Fb"},
		{
			MaybeURI(Low, &noon, &loopback, new(time.Minute), new(false)),
			"maybe:///1?at=2026-07-28T10%3A00%3A00.000000005Z&addr=%3A%3A1&wait=1m0s&ok=false",
		},
		{NamesURI("1", "2", "3", true, 255), "names:///1/2/3/true/255"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
		if again, err := rebuild(c.got); again != c.got {
			t.Errorf("%s is rebuilt as %s: %v", c.got, again, err)
		}
	}
}

// The zero time stands for the default of a time, which is relative to now.
func TestRelativeDefault(t *testing.T) {
	v, err := ParseLogsURI(LogsURI(loopback, Debug, time.Time{}, 100, 90*time.Second))
	if ago := time.Since(v.Since); err != nil || ago < time.Hour || ago > 2*time.Hour || v.Limit != 100 ||
		v.Step != 90*time.Second {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestURIsOfAnotherForm(t *testing.T) {
	for _, uri := range []string{
		"things:///", "things:///a/b", "things:x", "other:///x", "not a uri", "logs:///x", "logs://h/::1/info",
		"reports:///week-1.md",
		"reports:///week-1-2.txt", "files:///", "trail://", "trail://host/1", "places:///1", "places:///1,",
		"things:///shelf/find/x",
		"things:///x/find", "things:///shelf/x", "things://h/shelf/find", "attic:///a/b", "urn://isbn/1", "urn:issn:1",
		"urn:isbn:", "urn:isbn:a/b", "parts:///a.b", "names:///1/2/3/true/", "days:///", "raw://x/y",
	} {
		if again, err := rebuild(uri); again != "" || !errors.Is(err, mcp.ErrNotFound) {
			t.Errorf("%s is read as %s: %v", uri, again, err)
		}
	}
}

// wrongValues are URIs that a template has, with one value that is out of range.
var wrongValues = map[string]string{
	"things:///x":                      "thing: want at least 2 characters",
	"things:///123456789":              "thing: want at most 8 characters",
	"things:///..":                     "thing: must not contain path elements of dots",
	"logs:///here/info":                "host: not a valid value",
	"logs:///::1/Info":                 "level: want one of debug, info, warn",
	"logs:///::1/info?limit=":          "limit: want a whole number from -9223372036854775808 to 9223372036854775807",
	"logs:///::1/info?limit=0":         "limit: want at least 1",
	"logs:///::1/info?limit=1001":      "limit: want at most 1000",
	"logs:///::1/info?since=yesterday": "since: want a time such as 2006-01-02T15:04:05Z",
	"logs:///::1/info?step=1":          "step: want a duration such as 1h30m",
	"reports:///week-70000-1.md":       "year: want a whole number from 0 to 65535",
	"reports:///week-2026-54.md":       "week: want at most 53",
	"reports:///week-2026-0.md":        "week: want at least 1",
	"days:///28.7.2026":                "day: want a time such as 2006-01-02",
	"files:///a/../b":                  "path: must not contain path elements of dots",
	"files:///%2Fetc/size":             "path: must not begin with a slash",
	"trail:///1/x":                     "steps: want a whole number from -9223372036854775808 to 9223372036854775807",
	"places:///north,1":                "lat: want a number",
	"places:///1,1?zoom=1e99":          "zoom: want a number",
	"things:///shelf/find?tag=":        "tag: want at least 1 characters",
	"things:///shelf/find?page=0":      "page: want at least 1",
	"things:///shelf/find?exact=maybe": "exact: want true or false",
	"things:///shelf/find?colour=red":  "colour: not a valid value",
	"things:///shelf/find?rank=5":      "rank: want one of 1, 10",
	"raw:///x":                         "must: is required",
	"parts:///a.b;size=-1":             "size: want a whole number from 0 to 18446744073709551615",
	"maybe:///2":                       "rank: want one of 1, 10",
	"maybe:///1?wait=long":             "wait: want a duration such as 1h30m",
	"names:///1/2/3/yes/4":             "string: want true or false",
	"names:///1/2/3/true/256":          "wire: want a whole number from 0 to 255",
	"attic:///..":                      "thing: must not contain path elements of dots",
	"reports:///week-1-x.md":           "week: want a whole number from -128 to 127",
	"places:///1,east":                 "lon: want a number",
	"things:///shelf/find?tag=..":      "tag: must not contain path elements of dots",
	"things:///shelf/find?page=x":      "page: want a whole number from -9223372036854775808 to 9223372036854775807",
	"things:///shelf/find?all=maybe":   "all: want true or false",
	"things:///shelf/find?text=..":     "text: must not contain path elements of dots",
	"things:///shelf/find?rank=x":      "rank: want a whole number from -9223372036854775808 to 9223372036854775807",
	"stock:///spared":                  "number: want text that matches [A-Z]{2}-[0-9]+|spare",
	"stock:///AB-1234567":              "number: want at most 9 characters",
	"stock:///spare?colour=%ff":        "colour: must be percent-encoded UTF-8",
	"stock:///spare?size=%ff":          "size: must be percent-encoded UTF-8",
	"raw:///%ff?must=x":                "text: must be percent-encoded UTF-8",
	"raw:///x?must=..":                 "must: must not contain path elements of dots",
	"parts:///%2e%2e.b;size=1":         "name: must not contain path elements of dots",
	"parts:///a.%2e%2e;size=1":         "ext: must not contain path elements of dots",
	"urn:isbn:%2e%2e":                  "isbn: must not contain path elements of dots",
	"maybe:///x":                       "rank: want a whole number from -9223372036854775808 to 9223372036854775807",
	"maybe:///1?at=noon":               "at: want a time such as 2006-01-02T15:04:05Z",
	"maybe:///1?addr=here":             "addr: not a valid value",
	"maybe:///1?ok=perhaps":            "ok: want true or false",
	"names:///../2/3/true/4":           "b: must not contain path elements of dots",
	"names:///1/../3/true/4":           "uri: must not contain path elements of dots",
	"names:///1/2/../true/4":           "err: must not contain path elements of dots",
}

func TestURIsWithWrongValues(t *testing.T) {
	t.Attr("requirements", "res-validate")
	for uri, want := range wrongValues {
		_, err := rebuild(uri)
		if wrong, ok := errors.AsType[*mcp.VarError](err); !ok || wrong.Var+": "+wrong.Reason != want {
			t.Errorf("%s: got %v, want %s", uri, wrong, want)
		}
	}
}
