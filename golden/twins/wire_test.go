package twins_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/twins"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// world is both servers and what they have in common.
type world struct {
	shop     *twins.ShopServer
	office   *twins.BackOfficeServer
	products *twins.ProductStore
	book     *twins.Book
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{products: twins.NewProductStore(), book: new(twins.Book)}
	if err := w.products.Put(twins.Product{ID: "lamp", Name: "A lamp", Stock: 1}); err != nil {
		t.Fatal(err)
	}
	w.book.Add(twins.Review{Author: "ada", Text: "Bright.\n", Published: true})
	w.book.Add(twins.Review{Author: "bob", Text: "Dim.\n"})
	counter := &twins.Counter{Products: w.products}
	opts := &mcp.Options{UpdateDelay: -1}
	var err error
	if w.shop, err = twins.NewShopServer(twins.ShopImpl{Product: w.products, Counter: counter, Book: w.book},
		opts); err != nil {
		t.Fatal(err)
	}
	if w.office, err = twins.NewBackOfficeServer(twins.BackOfficeImpl{Product: w.products, Counter: counter, Book: w.book},
		opts); err != nil {
		t.Fatal(err)
	}
	return w
}

// Both servers offer the products, one address with two contents, and tools of their own.
func TestWire(t *testing.T) {
	script := func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.Tools()
		c.Read("shop:///welcome")
		c.Read("reviews:///ada")
		c.Complete("reviews:///{author}", "author", "b")
		c.Prompts()
		c.GetPrompt("answer", "author", "ada", "stars", "5")
		for _, uri := range []string{"shop:///hours", "shop:///products/none"} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
		for _, tool := range []string{"buy", "restock"} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"`+tool+`","arguments":{"id":"lamp"}}`))
		}
		c.Read("shop:///products/lamp")
	}
	transcript.Run(t, "shop", func(t *testing.T) mcptest.Server { return newWorld(t).shop }, script)
	transcript.Run(t, "office", func(t *testing.T) mcptest.Server { return newWorld(t).office }, script)
}

func uris(c *mcptest.Client) map[string]bool {
	out := map[string]bool{}
	for _, r := range c.List() {
		out[r.URI] = true
	}
	return out
}

// Each server has a list function of its own for one template.
func TestOwnLists(t *testing.T) {
	w := newWorld(t)
	shop, office := uris(mcptest.New(t, w.shop)), uris(mcptest.New(t, w.office))
	if shop["reviews:///bob"] || !office["reviews:///bob"] || !shop["reviews:///ada"] ||
		!office["shop:///products/lamp"] || office["shop:///hours"] {
		t.Errorf("shop %v, office %v", shop, office)
	}
}

// What a tool of one server changes, the clients of the other hear of.
func TestChangesReachTheOther(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		w := newWorld(t)
		customer := mcptest.New(t, w.shop, mcptest.WithRevision(rev))
		staff := mcptest.New(t, w.office, mcptest.WithRevision(rev))
		lamp, review, own := customer.Subscribe("shop:///products/lamp"), customer.Subscribe("reviews:///bob"),
			staff.Subscribe("reviews:///bob")
		if r := staff.Call("restock", `{"id":"lamp"}`); r.IsError != nil {
			t.Fatal(r)
		}
		lamp.Next()
		staff.Call("publish", `{"author":"bob"}`)
		review.Next()
		own.Next()
	}
}

// A switch is one of its server, and so is a policy of keeping answers.
func TestOwnSwitchesAndDefaults(t *testing.T) {
	t.Attr("requirements", "cache-scope-pages")
	w := newWorld(t)
	w.office.SetRestockEnabled(false)
	if tools := mcptest.New(t, w.office).Tools(); len(tools) != 1 || tools[0].Name != "publish" {
		t.Errorf("tools of the office: %v", tools)
	}
	for _, s := range []struct {
		server mcptest.Server
		ttl    string
	}{{w.shop, `"ttlMs":60000`}, {w.office, `"ttlMs":0`}} {
		c := mcptest.New(t, s.server, mcptest.WithRevision(slices.Max(mcp.Revisions())))
		text, err := c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"reviews:///ada"}`))
		if err != nil || !strings.Contains(string(text), s.ttl) {
			t.Errorf("%s has no %s (%v)", text, s.ttl, err)
		}
	}
}
