// Package twins has two servers made of one set of types: a shop for customers, and its back office. What
// both of them offer is written once, and a change made through one is told to the clients of the other.
//
//mcp:server name=shop version=1.0.0 title="A shop"
//mcp:cache ttl=1m scope=public
package twins

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// The server of the staff. Nothing that it says may be kept.
//
//mcp:server name=back-office version=1.1.0 "instructions=Restock what runs out."
//mcp:annotate audience=assistant

// Product is a thing to buy.
//
//mcp:resource uri=shop:///products/{id} server=shop,back-office list subscribe
type Product struct {
	ID    string `json:"id" mcp:"key"`
	Name  string `json:"name" mcp:"title"`
	Stock int    `json:"stock"`
}

// Hours says when the shop is open.
//
//mcp:resource uri=shop:///hours mime=text/plain server=shop
const Hours = "Mo-Fr 9-17\n"

// Counter is where customers are served.
type Counter struct {
	Products *ProductStore
}

// Welcome greets customers.
//
//mcp:resource uri=shop:///welcome server=shop
func (c *Counter) Welcome(ctx context.Context) (string, error) {
	return "What can we do for you?\n", nil
}

// OrderIn says what to buy.
type OrderIn struct {
	// ID of the product.
	ID string `json:"id"`
}

// Buy takes one piece from the stock.
//
//mcp:tool server=shop
func (c *Counter) Buy(ctx context.Context, in OrderIn) (Product, error) {
	return c.change(in.ID, -1)
}

// Restock adds a piece to the stock.
//
//mcp:tool server=back-office
//mcp:toggle
func (c *Counter) Restock(ctx context.Context, in OrderIn) (Product, error) {
	return c.change(in.ID, 1)
}

func (c *Counter) change(id string, by int) (Product, error) {
	var now Product
	err := c.Products.Update(id, func(p *Product) error {
		if p.Stock+by < 0 {
			return errors.New("sold out")
		}
		p.Stock += by
		now = *p
		return nil
	})
	return now, err
}

// Review is what a customer thinks.
type Review struct {
	Author, Text string
	Published    bool
}

// Book keeps the reviews.
type Book struct {
	mu      sync.Mutex
	reviews []Review
	changed chan struct{} // closed at the next change; nil if nobody waits
}

// Add keeps one more review.
func (b *Book) Add(r Review) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reviews = append(b.reviews, r)
	b.changeLocked()
}

func (b *Book) changeLocked() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// change is closed at the next change.
func (b *Book) change() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

func (b *Book) all() []Review {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.reviews)
}

// ReviewOf returns what somebody wrote.
//
//mcp:resource uri=reviews:///{author} server=shop,back-office subscribe
func (b *Book) ReviewOf(ctx context.Context, author string) (string, error) {
	for _, r := range b.all() {
		if r.Author == author {
			return r.Text, nil
		}
	}
	return "", errNoReview
}

// Published lists for customers.
//
//mcp:list of=ReviewOf server=shop
func (b *Book) Published(ctx context.Context) iter.Seq2[ReviewOfRef, error] {
	return b.refs(func(r Review) bool { return r.Published })
}

// All lists for the staff.
//
//mcp:list of=ReviewOf server=back-office changes
func (b *Book) All(ctx context.Context) iter.Seq2[ReviewOfRef, error] {
	return b.refs(func(Review) bool { return true })
}

func (b *Book) refs(show func(Review) bool) iter.Seq2[ReviewOfRef, error] {
	return func(yield func(ReviewOfRef, error) bool) {
		for _, r := range b.all() {
			if show(r) && !yield(ReviewOfRef{Author: r.Author}, nil) {
				return
			}
		}
	}
}

// CompleteAuthor proposes authors to whoever may read their reviews.
//
//mcp:complete of=ReviewOf var=author
func (b *Book) CompleteAuthor(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	for _, r := range b.all() {
		if len(r.Author) >= len(prefix) && r.Author[:len(prefix)] == prefix {
			out = append(out, r.Author)
		}
	}
	return out, nil
}

// WatchReview tells customers of a change, which is made in the back office. The staff hears of it from the
// tool that makes it.
//
//mcp:watch of=ReviewOf server=shop
func (b *Book) WatchReview(ctx context.Context) iter.Seq2[time.Time, error] {
	next := b.change()
	return func(yield func(time.Time, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-next:
			}
			next = b.change()
			if !yield(time.Now(), nil) {
				return
			}
		}
	}
}

// PublishIn names a review.
type PublishIn struct {
	// Author of the review.
	Author string `json:"author"`
}

// Publish shows a review to customers.
//
//mcp:tool server=back-office updates=reviews:///{author}
func (b *Book) Publish(ctx context.Context, in PublishIn) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.reviews {
		if b.reviews[i].Author == in.Author {
			b.reviews[i].Published = true
			b.changeLocked()
			return nil
		}
	}
	return errNoReview
}
