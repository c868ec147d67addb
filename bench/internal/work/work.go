// Package work is what all servers of the comparison serve, so that they differ in nothing but the
// library between the client and this package.
package work

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

const (
	// Many is how many entries the long list has, and templates the large server.
	Many = 1000

	textSize = 1 << 10
	blobSize = 64 << 10

	// largeSize is that of a large text and blob, whose addresses these are.
	largeSize    = 16 << 20
	LargeTextURI = "bench:///large/text"
	LargeBlobURI = "bench:///large/blob"
)

// In are the arguments of the tool.
type In struct {
	// Query is the text to look for.
	Query string `json:"query"`
	// Limit is the most hits to return.
	Limit int `json:"limit,omitempty"`
	// Kinds are the kinds of things to look at; empty means all.
	Kinds []string `json:"kinds,omitempty"`
}

// Hit is one thing that the tool has found.
type Hit struct {
	// URI addresses the thing.
	URI string `json:"uri"`
	// Title is what people call it.
	Title string `json:"title"`
	// Score is how well it fits, from 0 to 1.
	Score float64 `json:"score"`
}

// Out is the answer of the tool.
type Out struct {
	// Total is the number of hits, shown or not.
	Total int `json:"total"`
	// Hits are the best ones, best first.
	Hits []Hit `json:"hits"`
}

var hits = []Hit{
	{"notes:///standup", "What was said \"standing up\"", 0.75},
	{"notes:///retro", "Retrospective, third quarter", 0.5},
	{"notes:///plans", "Plans", 0.125},
}

// Slow is what a call of the tool looks for that takes slowFor; any other takes next to no time.
const (
	Slow    = "slow"
	slowFor = 20 * time.Millisecond
)

// Search is the work of the tool.
func Search(in In) Out {
	if in.Query == Slow {
		time.Sleep(slowFor)
	}
	n := len(hits)
	if in.Limit > 0 {
		n = min(n, in.Limit)
	}
	return Out{Total: len(hits), Hits: hits[:n]}
}

// Text returns 1 KiB of Markdown: mostly plain, with the newlines and quotes that real text has.
var Text = sync.OnceValue(func() string {
	return strings.Repeat("- the \"first\" of many lines, with a word like caf\u00e9 in it\n", 20)[:textSize]
})

// Blob returns 64 KiB that do not compress. They are made on first use: a package of the comparison
// must not add to the start of a process.
var Blob = sync.OnceValue(func() []byte {
	r := rand.NewChaCha8([32]byte{})
	b := make([]byte, blobSize)
	_, _ = r.Read(b) // never fails
	return b
})

// LargeText is Text many times, and LargeBlob Blob.
var (
	LargeText = sync.OnceValue(func() string { return strings.Repeat(Text(), largeSize/textSize) })
	LargeBlob = sync.OnceValue(func() []byte { return bytes.Repeat(Blob(), largeSize/blobSize) })
)

// ID names entry i of the long list.
func ID(i int) string { return fmt.Sprintf("entry-%04d", i) }

// IDs returns those of the whole list, in order.
var IDs = sync.OnceValue(func() []string {
	list := make([]string, Many)
	for i := range list {
		list[i] = ID(i)
	}
	return list
})

// ListDescription is what the long list says about each entry.
const ListDescription = "One of a thousand."
