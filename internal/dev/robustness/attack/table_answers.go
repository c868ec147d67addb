package attack

import (
	"fmt"
	"strings"
)

// What answers that are being made may cost: twice what may be pending and retained, and what a server costs anyway.
const (
	answersSmall = 2*(32<<20+8<<20) + 64<<20
	answersFull  = 2*(256<<20+64<<20) + 64<<20
)

var (
	fewBytes    = []string{"MaxPendingBytes=33554432", "MaxRetainedBytes=8388608"}
	largeSmall  = map[string]int{"small.md": 100, "big.txt": 4 << 20}
	largeFull   = map[string]int{"small.md": 100, "big.txt": 15 << 20}
	answersWant = Verdict{Memory: answersSmall, Full: answersFull}
	aboutBytes  = over(Sessions, Modern, Events)
)

// large is a row of golden/files with one large file. The module of bench has the same file for other libraries.
func large(name string, on []Transport, groups ...Clients) Row {
	without := ""
	if on[0] == HTTP2 {
		without = onlyHTTP2
	}
	return Row{Number: 16, Name: name, On: on, Alone: without, Server: "files", Options: fewBytes,
		Files: largeSmall, FilesFull: largeFull, Ask: Reads, URI: "handbook:///small.md", Hostile: groups, Want: answersWant}
}

// madeRows are answers that are large while they are made.
func madeRows() []Row {
	big := []Message{read("handbook:///big.txt")}
	var rows []Row
	for _, n := range []int{60, 500} {
		for _, clients := range []int{1, 100} {
			on := fmt.Sprintf("%d requests at once for a file of 15 MiB by %d clients", n, clients)
			opens := max(clients, 4)
			unread := large(on+", and nothing is read", aboutBytes,
				Clients{N: n, Addresses: clients, Opens: opens, Small: true, Send: big})
			reads := large(on+", and all is read", aboutBytes,
				Clients{N: n, Addresses: clients, Opens: opens, AtOnce: true, Send: big, Read: Reply})
			few := Clients{N: max(n/20, min(clients, n)), Addresses: clients, Times: max(1, n/max(n/20, clients)), Send: big}
			few.Small = true
			unread2 := large(on+" on a few connections, and nothing is read", over(HTTP2), few)
			few.Small, few.Then = false, Drain
			reads2 := large(on+" on a few connections, and all is read later", over(HTTP2), few)
			for _, r := range []Row{unread, reads, unread2, reads2} {
				r.FullOnly = n > 60
				rows = append(rows, r)
			}
		}
	}
	for _, clients := range []int{1, 100} {
		row := large(fmt.Sprintf("2,000 requests at once for a file of 15 MiB by %d clients", clients), over(Modern),
			Clients{N: 2000, Addresses: clients, Small: true, Send: big})
		row.FullOnly = true
		rows = append(rows, row)
	}
	return append(rows, honestRows(big)...)
}

// honestRows are clients that want much, and no more than they may.
func honestRows(big []Message) []Row {
	everybody := over(Sessions, Modern, Events)
	one := large("an honest client reads a file of 15 MiB ten times at once", everybody,
		Clients{N: 10, Opens: 1, AtOnce: true, Send: big, Read: Reply})
	one2 := large("an honest client reads a file of 15 MiB ten times at once on one connection", over(HTTP2),
		Clients{N: 1, Times: 10, Send: big, Then: Drain})
	ten := large("ten honest clients read a file of 15 MiB once each", over(Sessions, Modern, Events, HTTP2),
		Clients{N: 10, Addresses: 10, Opens: OneEach, AtOnce: true, Send: big, Read: Reply})
	rows := []Row{one, one2, ten}
	for i := range rows {
		rows[i].Want.Check = results(10)
	}
	return rows
}

// results wants so many requests to have results.
func results(n int) func(*Result) error {
	return func(res *Result) error {
		if got := res.Replies["200 result"] + res.Replies["result"]; got != n {
			return fmt.Errorf("%d of %d requests have results: %v", got, n, res.Replies)
		}
		return nil
	}
}

// kindRows are large answers of all kinds.
func kindRows() []Row {
	row := func(name string, m ...Message) Row {
		return Row{Number: 16, Name: name, On: over(Modern, Events), Options: fewBytes, Want: answersWant,
			Hostile: []Clients{{N: 60, Full: 500, Opens: 4, Small: true, Send: m}}}
	}
	rows := []Row{
		row("500 results of a tool at once, 15 MiB each", tool("huge", `"mib":15`)),
		others(row("500 prompts at once, 15 MiB each", request("prompts/get", `{"name":"essay","arguments":{"mib":"15"}}`))),
		others(row("500 blobs at once, 15 MiB each", read("photo:///15"))),
		others(row("tools, prompts and blobs at once, of several sizes", tool("huge", `"mib":1`), read("photo:///3"),
			request("prompts/get", `{"name":"essay","arguments":{"mib":"7"}}`), tool("huge", `"mib":12`))),
	}
	for i := range rows {
		if i < 3 { // the sizes are those of 15 MiB in both, 60 of them in small
			rows[i].Want.Memory = answersSmall + 2*15<<20
		}
	}
	files := func(name, uri string, small, full map[string]int) Row {
		r := large(name, over(Sessions, HTTP2), Clients{N: 60, Full: 500, Opens: 4, Small: true, Send: []Message{read(uri)}})
		r.Files, r.FilesFull = small, full
		return r
	}
	rows = append(rows,
		files("500 requests at once for a text that is six times as long in JSON", "handbook:///big.txt",
			map[string]int{"small.md": 100, "big.esc": 1 << 20}, map[string]int{"small.md": 100, "big.esc": 15 << 20}),
		files("500 requests at once for a file that is no text", "handbook:///big.bin",
			map[string]int{"small.md": 100, "big.bin": 4 << 20}, map[string]int{"small.md": 100, "big.bin": 15 << 20}))
	many := map[string]int{"small.md": 100, "a-name-" + long(180) + "-$n.md": 3000}
	manyFull := map[string]int{"small.md": 100, "a-name-" + long(180) + "-$n.md": 30_000}
	for _, m := range []Message{
		request("resources/list", ""), request("resources/directory/read", `{"uri":"handbook:///"}`),
	} {
		r := large("500 times "+m.RPC+" of 30,000 files at once", aboutBytes,
			Clients{N: 60, Full: 500, Opens: 4, Small: true, Send: []Message{m}})
		r.Files, r.FilesFull = many, manyFull
		rows = append(rows, others(r))
	}
	return append(rows, shareRows()...)
}

// others is a row in which the servers of other libraries have no part.
func others(r Row) Row {
	r.Alone = "they have the tool and the file only"
	return r
}

// shareRows are batches of which each request has an answer.
func shareRows() []Row {
	row := func(n, size int, on []Transport) Row {
		return Row{
			Number: 16, Name: fmt.Sprintf("a batch calls %d times for %d MiB, and is read", n, size), On: on,
			Revision: "2025-03-26", Options: fewBytes,
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{batch(n, size)}, Read: Reply}},
			Want:    Verdict{Memory: answersSmall, Full: answersFull, Check: everyID(n)},
		}
	}
	small, full := row(60, 1, over(Sessions, Events)), row(150, 12, over(Sessions, Events))
	small.SmallOnly, full.FullOnly = true, true
	return []Row{small, full}
}

// everyID wants each request of a batch to have a result or an error, and some to have a result.
func everyID(n int) func(*Result) error {
	return func(res *Result) error {
		for kind := range res.Replies {
			var results, failed int
			_, at, _ := strings.Cut(kind, "batch: ")
			if _, err := fmt.Sscanf(at, "%d results, %d errors", &results, &failed); err == nil {
				if results+failed == n && results > 0 {
					return nil
				}
			}
		}
		return fmt.Errorf("not each of %d requests is answered, or none with a result: %v", n, res.Replies)
	}
}
