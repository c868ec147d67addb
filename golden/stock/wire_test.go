package stock_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/stock"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T) (*stock.StockServer, *stock.ItemStore) {
	t.Helper()
	items := stock.NewItemStore()
	for _, item := range stock.Examples() {
		if err := items.Put(item); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := stock.NewStockServer(stock.StockImpl{Item: items, Shop: &stock.Shop{Items: items}},
		&mcp.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	return srv, items
}

// One struct, seen in each way, in each revision; a change is an update of the item.
func TestWire(t *testing.T) {
	var items *stock.ItemStore
	start := func(t *testing.T) mcptest.Server {
		srv, store := newServer(t)
		items = store
		return srv
	}
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.List()
		c.Templates()
		for _, uri := range []string{
			"stock:///items/1/L-1", "stock:///items/2/B%2F2", "stock:///labels/1/L-1", "stock:///text/1/L-1",
			"stock:///versioned/1/L-1", "stock:///cheap", "stock:///cheap?cents=100", "stock:///value",
		} {
			c.Read(uri)
		}
		_ = c.ReadError("stock:///labels/1/none")
		sub := c.Subscribe("stock:///items/2/B%2F2")
		if err := items.Update(stock.ItemKey{Shelf: 2, SKU: "B/2"}, func(item *stock.Item) error {
			item.Price.Cents = 199
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		sub.Next()
		c.Read("stock:///items/2/B%2F2")
		sub.Close()
	})
}

// What costs us stays in the program, and a change of it is none to clients.
func TestHiddenField(t *testing.T) {
	srv, items := newServer(t)
	c := mcptest.New(t, srv)
	sub := c.Subscribe("stock:///items/1/L-1")
	change := func(f func(item *stock.Item)) {
		t.Helper()
		err := items.Update(stock.ItemKey{Shelf: 1, SKU: "L-1"}, func(item *stock.Item) error { f(item); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	change(func(item *stock.Item) { item.Cost.Cents = 1 })
	change(func(item *stock.Item) { item.Sale = nil })
	sub.Next()
	if n := sub.Pending(); n != 0 {
		t.Errorf("%d updates more", n)
	}
	if text := c.Read("stock:///items/1/L-1"); strings.Contains(text, "cost") || strings.Contains(text, "sale") {
		t.Errorf("the client reads %s", text)
	}
}
