package search_test

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/golden/search"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// following is a server with pages a, b and so on, and a client of it.
type following struct {
	t   *testing.T
	srv *search.SearchServer
	*mcptest.Client
	seen int // lines of the transcript
}

const second = `{"revision":"2026-09-15"}`

func newFollowing(t *testing.T, pages int, opts *mcp.Options, more ...mcptest.Option) *following {
	t.Helper()
	var all []search.Page
	for i := range pages {
		all = append(all, search.Page{Name: pageName(i)})
	}
	index := search.NewIndex(all...)
	if opts == nil {
		opts = new(mcp.Options)
	}
	opts.Logger = slog.New(slog.DiscardHandler)
	srv, err := search.NewSearchServer(search.SearchImpl{Index: index}, opts)
	if err != nil {
		t.Fatal(err)
	}
	index.OnChange = srv.PublishChanged
	more = append([]mcptest.Option{mcptest.WithExtension(id, second), mcptest.WithCaller(editor)}, more...)
	return &following{t: t, srv: srv, Client: mcptest.New(t, srv, more...)}
}

func pageName(i int) string { return "page" + strconv.Itoa(i) }

// listen sends a listen for pages, whose client has declared extensions.
func (f *following) listen(as, extensions, value string) {
	f.Send(`{"jsonrpc":"2.0","id":` + as + `,"method":"subscriptions/listen","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` +
		`"extensions":` + extensions + `}},"notifications":{"` + id + `/follow":` + value + `}}}`)
}

var declared = `{"` + id + `":` + second + `}`

// want waits for the next message of the server that is no result, which has the texts. A result may come before or
// after what its call has caused.
func (f *following) want(texts ...string) {
	f.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for lines := f.Transcript(); f.seen < len(lines); {
			line, received := strings.CutPrefix(lines[f.seen], "<- ")
			if f.seen++; !received || strings.Contains(line, `,"result":`) {
				continue
			}
			for _, text := range texts {
				if !strings.Contains(line, text) {
					f.t.Fatalf("%s\nwant %s", line, text)
				}
			}
			return
		}
	}
	f.t.Fatalf("nothing comes, want %q", texts)
}

func (f *following) write(page int, text string) {
	f.t.Helper()
	if _, err := f.Do(id+"/write", json.RawMessage(`{"name":"`+pageName(page)+`","text":"`+text+`"}`)); err != nil {
		f.t.Error(err)
	}
}

// Who follows a page hears that it changes, and nobody else does. The order of two pages is that of their changes.
func TestFollow(t *testing.T) {
	f := newFollowing(t, 3, nil)
	f.listen("8", declared, `{"names":["page0","page1"]}`)
	f.want("acknowledged", `/subscriptionId":8`,
		`"notifications":{"com.example/search/follow":{"names":["page0","page1"]}}`)
	f.listen("9", declared, `{"names":["page2"]}`)
	f.want("acknowledged", `/subscriptionId":9`)
	f.write(0, "new")
	f.want(`"method":"notifications/com.example/search/changed"`, `/subscriptionId":8}`, `"name":"page0","size":3}}`)
	f.write(2, "newer")
	f.want("search/changed", `/subscriptionId":9`, `"name":"page2","size":5`)
	f.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`)
	f.write(1, "x") // to nobody
	f.write(2, "y")
	f.want("search/changed", `/subscriptionId":9`, `"size":1`)
}

// What a listen is refused for, and what is left out of it.
func TestFollowRefused(t *testing.T) {
	f := newFollowing(t, 1, nil)
	for value, want := range map[string]string{
		`{"names":["none"]}`:        `there is no page`,
		`{"names":[]}`:              `/notifications/com.example/search/follow: `,
		`{"names":["page0"],"a":1}`: `"code":-32602`,
		`["page0"]`:                 `"code":-32602`,
		`null`:                      `"code":-32602`,
	} {
		f.listen("8", declared, value)
		f.want(`"id":8,"error"`, want)
	}
	f.listen("8", `{}`, `{"names":["page0"]}`)
	f.want(`"id":8,"error"`, `"code":-32021`, `"requiredCapabilities"`)
	f.listen("8", `{"`+id+`":{}}`, `{"names":["page0"]}`)
	f.want("acknowledged", `"notifications":{}`) // the first version of the extension has no filter

	reader := newFollowing(t, 1, nil, mcptest.WithCaller(mcp.Caller{Subject: "bob"}))
	reader.listen("8", declared, `{"names":["none"]}`)
	reader.want("acknowledged", `"notifications":{}`) // for them there is no such member
	if err := reader.srv.PublishChanged(search.Changed{Name: "page0"}); err != nil {
		t.Error(err)
	}
	reader.listen("9", declared, `{"names":["none"]}`)
	reader.want("acknowledged", `/subscriptionId":9`)
}

// What one client can make a server keep is bounded: topics, subscriptions of a connection, bytes of a notification.
func TestFollowBounds(t *testing.T) {
	f := newFollowing(t, 257, &mcp.Options{MaxSubscriptions: 256})
	names := make([]string, 257)
	for i := range names {
		names[i] = pageName(i)
	}
	listen := func(as string, names []string) {
		list, err := json.Marshal(names)
		if err != nil {
			t.Fatal(err)
		}
		f.listen(as, declared, `{"names":`+string(list)+`}`)
	}
	listen("8", names)
	f.want(`"id":8,"error"`, `follows 257 topics, and may follow 256`)
	listen("9", names[:256])
	f.want("acknowledged", `/subscriptionId":9`)
	listen("10", names[:1])
	f.want(`"id":10,"error"`, "subscriptions")
	if err := f.srv.PublishChanged(search.Changed{Name: strings.Repeat("x", 5000)}); err == nil {
		t.Error("a long notification is published")
	}
}

// Before 2026-07-28 there is no listen, and the name of the filter is no method.
func TestFollowIsNoMethod(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		c := newFollowing(t, 1, nil, mcptest.WithRevision(rev))
		if _, err := c.Do(id+"/follow", json.RawMessage(`{"names":["page0"]}`)); mcptest.CodeOf(err) != -32601 {
			t.Errorf("%s: %v", rev, err)
		}
	}
}
