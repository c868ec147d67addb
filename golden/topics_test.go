package golden

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/files"
	"github.com/mcpgen/mcpgen/golden/library"
	"github.com/mcpgen/mcpgen/golden/logs"
	"github.com/mcpgen/mcpgen/golden/notes"
	"github.com/mcpgen/mcpgen/golden/office"
	"github.com/mcpgen/mcpgen/golden/office/people"
	"github.com/mcpgen/mcpgen/golden/office/rooms"
	"github.com/mcpgen/mcpgen/golden/shapes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// spellings is one way to write each of the values of a variable, by value: what stands in one inner list is the same.
// In a query, "-" is the absence of the parameter.
type spellings [][]string

// texts are values of a string variable.
var texts = spellings{{"~jo", "%7Ejo", "%7ejo", "~%6a%6F"}, {"a%20b"}, {"%C3%A9", "%c3%a9"}, {"x%25", "%78%25"},
	{"x+y", "x%2By"}, {"a%26b"}}

// words are the texts that a store could have.
var words = spellings{{"one", "%6fne", "o%6Ee"}, {"two"}, {"t%20wo"}}

// numbers are values of a variable of a signed number.
var numbers = spellings{{"1", "01", "+1", "%31"}, {"7", "0007"}, {"10"}}

var (
	shelves  = spellings{{"poems", "poem%73"}, {"novels"}}
	ranks    = spellings{{"1", "01", "+1"}, {"10", "0010"}}
	floats   = spellings{{"1", "1.0", "1e0", "01.00", "%31"}, {"0", "-0", "0.0"}, {"-2.5", "-25e-1"}}
	paths    = spellings{{"a/b", "a%2Fb", "a%2fb", "%61/b"}, {"a/b/c"}, {"a%25b"}, {"a"}}
	addrs    = spellings{{"::1", "0:0:0:0:0:0:0:1", "0::1", "%3A%3a1"}, {"127.0.0.1"}, {"fe80::A", "fe80::a"}}
	levels   = spellings{{"warn", "%77arn"}, {"debug"}}
	instants = spellings{{"2026-01-01T00:00:00Z", "2026-01-01T01:00:00%2B01:00", "2025-12-31T23:00:00-01:00",
		"2026-01-01T00:00:00.000Z"},
		{"2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500Z"}, {"2026-01-01T00:00:01Z"}}
	bools = spellings{{"true", "1", "%74rue"}, {"false", "0"}}
)

// or adds a value that a parameter has when it is left out: one that no text has, or the first of s.
func (s spellings) or(first string) spellings {
	out := slices.Clone(s)
	for i, same := range out {
		if slices.Contains(same, first) {
			out[i] = append(slices.Clone(same), "-")
			return out
		}
	}
	return append(out, []string{"-"})
}

// spelled is one template, with values of its variables. A variable in braces in path may hold several segments.
type spelled struct {
	path  string
	vars  map[string]spellings
	query []string
	also  []string // other templates with the same variables for the same thing
}

type topicServer struct {
	name  string
	start func(t *testing.T, o *mcp.Options) server
	all   []spelled
}

type server interface {
	mcptest.Server
	ResourceUpdated(uri string)
}

// topicServers are the golden servers whose templates can be subscribed to.
var topicServers = []topicServer{
	{"shapes", startShapes, []spelled{
		{path: "things:///{v}", vars: map[string]spellings{"v": {{"~jo", "%7Ejo", "%7ejo"}, {"a%20b"},
			{"%C3%A9t", "%c3%a9t"}}}},
		{
			path:  "logs:///{host}/{level}",
			query: []string{"since", "limit", "step"},
			vars: map[string]spellings{"host": addrs, "level": levels, "since": instants.or("none"),
				"limit": spellings{{"100", "0100", "+100"}, {"7"}}.or("100"),
				"step":  spellings{{"1m30s", "90s", "1.5m"}, {"1h", "60m", "1h0m0s"}}.or("90s")},
		},
		{path: "reports:///week-{a}-{b}.md", vars: map[string]spellings{"a": {{"2026", "02026"}, {"7"}},
			"b": {{"1", "01", "+1"}, {"31"}}}},
		{path: "days:///{v}", vars: map[string]spellings{"v": {{"2026-01-01", "2026%2d01-01"}, {"2026-01-02"}}}},
		{path: "files:///{v}", vars: map[string]spellings{"v": paths}},
		{path: "files:///{v}/size", vars: map[string]spellings{"v": paths}},
		{path: "trail://{v}", vars: map[string]spellings{"v": {{"/1/2", "/01/+2", "/%31/2"}, {"/1"}, {"/12"}}}},
		{path: "places:///{a},{b}", query: []string{"zoom"}, vars: map[string]spellings{"a": floats, "b": floats,
			"zoom": spellings{{"1.5", "15e-1"}, {"2"}}.or("1.5")}},
		{path: "stock:///{v}", query: []string{"colour", "size"}, vars: map[string]spellings{
			"v": {{"AB-1", "%41B-1"}, {"spare"}}, "colour": spellings{{"red", "r%65d"}, {"red&colour=blue"},
				{"blue&colour=red"}}.or("none"),
			"size": spellings{{"1x2", "1%782"}}.or("none")}},
		{path: "things:///shelf/find", query: []string{"tag", "page", "exact", "all", "text", "colour", "rank"},
			vars: map[string]spellings{
				"tag": spellings{{"a%26b"}, {"a&tag=b", "%61&tag=b"}}.or("none"), "page": numbers.or("none"),
				"exact": bools.or("false"), "all": bools.or("true"),
				"text":   spellings{{"no%20text", "n%6f%20text"}, {""}, {"x"}}.or("no%20text"),
				"colour": spellings{{"%23ffffff", "%23FFFFFF"}, {"%23000001"}}.or("%23ffffff"),
				"rank":   ranks.or("10")}},
		{path: "raw:///{v}", query: []string{"must"},
			vars: map[string]spellings{"v": append(spellings{{"%2525", "%25%32%35"}}, texts...), "must": {{"a", "%61"}, {"b"}}}},
		{path: "parts:///{a}.{b};size={c}", vars: map[string]spellings{"a": {{"x", "%78"}, {"y%2Ez"}}, "b": {{"md"}, {"z"}},
			"c": {{"1", "01"}, {"2"}}}},
		{path: "urn:isbn:{v}", vars: map[string]spellings{"v": {{"1-2", "%31-2"}, {"1"}}}},
		{path: "maybe:///{rank}", query: []string{"at", "addr", "wait", "ok"},
			vars: map[string]spellings{"rank": ranks, "at": instants.or("none"),
				"addr": addrs.or("none"), "wait": spellings{{"1m", "60s"}, {"0", "0s", "-0s"}}.or("none"), "ok": bools.or("none")}},
		{path: "names:///{a}/{b}/{c}/{d}/{e}", vars: map[string]spellings{"a": texts[:2], "b": texts[:2], "c": texts[:2],
			"d": bools, "e": {{"1", "01"}, {"255"}}}},
		{path: "attic:///{v}", vars: map[string]spellings{"v": texts}},
	}},
	{"library", startLibrary, []spelled{
		{path: "states:///{shelf}/{no}", query: []string{"wet", "note"},
			vars: map[string]spellings{"shelf": texts, "no": numbers, "wet": bools.or("none"),
				"note": spellings{{"none", "%6eone"}, {""}, {"torn"}}.or("none")}},
		{path: "pictures:///{v}", vars: map[string]spellings{"v": numbers}},
		{path: "books:///{shelf}/{number}", also: []string{"shelves:///{number}@{shelf}", "urn:book:{shelf}:{number}"},
			vars: map[string]spellings{"shelf": shelves, "number": numbers}},
		{path: "library:///exhibition", also: []string{"house:///exhibition"}},
	}},
	{"board", startBoard, []spelled{
		{path: "board:///{column}/{number}", vars: map[string]spellings{"column": {{"todo", "tod%6f"}, {"done"}},
			"number": numbers}},
		{path: "files:///{name}", vars: map[string]spellings{"name": words}},
		{path: "people:///{team}/{id}", vars: map[string]spellings{"team": words, "id": numbers}},
	}},
	{"logs", startLogs, []spelled{{path: "file:///logs/{name}", query: []string{"level", "limit"},
		vars: map[string]spellings{
			"name": {{"a.log", "%61.log", "a%2Elog"}, {"b.log"}}, "level": levels.or("debug"),
			"limit": spellings{{"100", "0100"}, {"7", "07"}}.or("100")}}}},
	{"notes", startNotes, []spelled{{path: "notes:///{name}", vars: map[string]spellings{"name": {{"a", "%61"}, {"b"}}}}}},
	{"files", startFiles, []spelled{{path: "handbook:///{path}",
		vars: map[string]spellings{"path": {{"guides", "guides/", "%67uides%2F"}, {"guides/a.md", "guides%2Fa.md"}, {""}}}}}},
	{"office", startOffice, []spelled{
		{path: "office:///{path}", vars: map[string]spellings{"path": {{"ada", "%61da"}, {"team/bob", "team%2Fbob"}}}},
		{path: "office:///rooms/{name}", vars: map[string]spellings{"name": words}},
	}},
	{"vault", startVault, []spelled{{path: "vault:///letters/{owner}/{name}",
		also: []string{"vault:///of/{name}/by/{owner}"},
		vars: map[string]spellings{"owner": {{"ann", "%61nn"}}, "name": words}}}},
	{"twins", startTwins, []spelled{
		{path: "shop:///products/{id}", vars: map[string]spellings{"id": words}},
		{path: "reviews:///{author}", vars: map[string]spellings{"author": words}},
	}},
}

// A subscription is to what a URI names: whoever subscribes by any spelling is told of an update of any other, by
// the spelling that they used, and nobody else is.
func TestTopics(t *testing.T) {
	t.Attr("requirements", "subscribe-told")
	seed := uint64(time.Now().UnixNano())
	for _, s := range topicServers {
		for _, of := range s.all {
			t.Run(s.name+" "+strings.ReplaceAll(of.path, "/", "|"), func(t *testing.T) {
				t.Logf("seed %d", seed)
				srv := s.start(t, &mcp.Options{UpdateDelay: -1, Logger: slog.New(slog.DiscardHandler)})
				for _, rev := range []protocol.Revision{protocol.Revision20251125, protocol.Revision20260728} {
					of.run(t, srv, rev, rand.New(rand.NewPCG(seed, 1)))
				}
			})
		}
	}
}

func (s spelled) run(t *testing.T, srv server, rev protocol.Revision, r *rand.Rand) {
	c := newClient(t, srv, rev)
	same := map[string][]string{} // spellings of each thing
	subs := map[string]*mcptest.Subscription{}
	for range 40 {
		choice, named := s.choose(r)
		for range 3 {
			uri := s.uri(r, choice)
			if subs[uri] == nil && len(subs) < 90 {
				subs[uri] = c.Subscribe(uri)
				same[named] = append(same[named], uri)
			}
		}
		if len(same[named]) == 0 {
			continue
		}
		srv.ResourceUpdated(s.uri(r, choice)) // any spelling, of those too that nobody has used
		for _, uri := range same[named] {
			if got := subs[uri].Next(); got != uri {
				t.Errorf("%s is told of %s", uri, got)
			}
		}
	}
	for uri, sub := range subs {
		if n := sub.Pending(); n != 0 {
			t.Errorf("%s: %d more updates", uri, n)
		}
	}
}

// Any spelling ends a subscription: of several, the one with that spelling, and all if none has it.
func TestUnsubscribeByAnySpelling(t *testing.T) {
	srv := startShapes(t, &mcp.Options{UpdateDelay: -1})
	c := newClient(t, srv, protocol.Revision20251125)
	end := func(uri string) {
		if _, fault := c.Do(protocol.MethodResourcesUnsubscribe, fmt.Appendf(nil, `{"uri":%q}`, uri)); fault != nil {
			t.Errorf("unsubscribe %s: %v", uri, fault)
		}
	}
	one, two := c.Subscribe("places:///1,2"), c.Subscribe("places:///1.0,2?zoom=1.50")
	other, last := c.Subscribe("places:///1,3"), c.Subscribe("shapes:///time")
	end("places:///1,2")
	srv.ResourceUpdated("places:///01,2")
	two.Next()
	end("places:///1e0,2?zz=1")
	srv.ResourceUpdated("places:///1,2")
	srv.ResourceUpdated("places:///1,3")
	srv.ResourceUpdated("shapes:///time")
	last.Next()
	if one.Pending() != 0 || two.Pending() != 0 || other.Next() == "" {
		t.Error("told after the end")
	}
}

// What a builder writes may be read as an instance of a more specific template. Both hear of the update.
func TestTopicsOfShadowedTemplates(t *testing.T) {
	srv := startShapes(t, &mcp.Options{UpdateDelay: -1}).(*shapes.ShapesServer)
	c := newClient(t, srv, protocol.Revision20260728)
	file, size := c.Subscribe("files:///x%2Fsize"), c.Subscribe("files:///x/size")
	srv.FileUpdated("x/size")
	file.Next()
	size.Next()
	srv.ResourceUpdated("files:///x%2fsize")
	file.Next()
	// A default that is counted from now is a topic of its own, and no instant is.
	left, then := c.Subscribe("logs:///::1/warn"), c.Subscribe("logs:///::1/warn?since=2026-01-01T00:00:00Z")
	srv.LogsUpdated(netip.IPv6Loopback(), shapes.Warn, time.Time{}, 100, 90*time.Second)
	left.Next()
	srv.LogsUpdated(netip.IPv6Loopback(), shapes.Warn, time.Date(2026, 1, 1, 2, 0, 0, 0, time.FixedZone("", 7200)), 100,
		90*time.Second)
	then.Next()
	if left.Pending()+then.Pending() != 0 {
		t.Error("told of another instant")
	}
}

func newClient(t *testing.T, srv server, rev protocol.Revision) *mcptest.Client {
	return mcptest.New(t, srv, mcptest.WithRevision(rev), mcptest.WithTimeout(time.Minute),
		mcptest.WithCaller(mcp.Caller{Subject: "ann", Scopes: []string{"vault"}}))
}

// choose returns a value for each variable, and a text that names them.
func (s spelled) choose(r *rand.Rand) (map[string]int, string) {
	choice := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		choice[name] = r.IntN(len(s.vars[name]))
	}
	return choice, fmt.Sprint(choice) // in the order of the keys
}

// uri is a spelling of the thing with these values.
func (s spelled) uri(r *rand.Rand, choice map[string]int) string {
	one := func(name string) string {
		same := s.vars[name][choice[name]]
		return same[r.IntN(len(same))]
	}
	addresses := append([]string{s.path}, s.also...)
	uri := addresses[r.IntN(len(addresses))]
	for name := range choice {
		uri = strings.ReplaceAll(uri, "{"+name+"}", one(name))
	}
	var params []string
	for _, name := range s.query {
		if text := one(name); text != "-" {
			if r.IntN(4) == 0 {
				name = fmt.Sprintf("%%%02X%s", name[0], name[1:])
			}
			params = append(params, name+"="+text)
		}
	}
	if len(s.vars) > 0 && r.IntN(3) == 0 {
		params = append(params, "zz=1")
	}
	r.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
	if len(params) > 0 {
		uri += "?" + strings.Join(params, "&")
	}
	return uri
}

// started is srv, which is closed at the end of the test.
func started[S interface {
	server
	Close() error
}](t *testing.T, srv S, err error) server {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	return srv
}

func startShapes(t *testing.T, o *mcp.Options) server {
	srv, err := shapes.NewShapesServer(shapes.ShapesImpl{Clock: new(shapes.Clock)}, o)
	return started(t, srv, err)
}

func startLibrary(t *testing.T, o *mcp.Options) server {
	srv, err := library.NewLibraryServer(library.LibraryImpl{Library: library.New()}, o)
	return started(t, srv, err)
}

func startBoard(t *testing.T, o *mcp.Options) server {
	srv, err := board.NewBoardServer(board.BoardImpl{Card: board.NewCardStore(), Attachment: board.NewAttachmentStore(),
		Person: new(board.Directory),
		Slot:   board.NewSlotStore(), Day: board.NewDayStore(), Machine: board.NewMachineStore(), Desk: new(board.Desk)}, o)
	return started(t, srv, err)
}

// folder is a directory with empty files.
func folder(t *testing.T, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func startLogs(t *testing.T, o *mcp.Options) server {
	l, err := logs.Open(folder(t, "a.log", "b.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	srv, err := logs.NewLogsServer(logs.LogsImpl{Logs: l}, o)
	return started(t, srv, err)
}

func startNotes(t *testing.T, o *mcp.Options) server {
	n, err := notes.Open(folder(t, "a.md", "b.md"))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := notes.NewNotesServer(notes.NotesImpl{Notes: n}, o)
	return started(t, srv, err)
}

func startFiles(t *testing.T, o *mcp.Options) server {
	root, err := os.OpenRoot(folder(t, "guides/a.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	srv, err := files.NewFilesServer(files.FilesImpl{Handbook: &files.Handbook{Pages: root}}, o)
	return started(t, srv, err)
}

// startOffice returns a server that is joined from others.
func startOffice(t *testing.T, o *mcp.Options) server {
	store := rooms.NewRoomStore()
	a, err := rooms.NewRoomsServer(rooms.RoomsImpl{Room: store, Desk: &rooms.Desk{Rooms: store}}, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := people.NewPeopleServer(people.PeopleImpl{Staff: people.New("ada")}, o)
	if err != nil {
		t.Fatal(err)
	}
	srv, err := office.NewOfficeServer(office.OfficeImpl{Rooms: a, People: b}, o)
	return started(t, srv, err)
}
