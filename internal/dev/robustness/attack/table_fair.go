package attack

import (
	"fmt"
	"strings"
)

// fairRows are greedy clients, each of which takes as much as it gets of one resource, and an honest one that wants a
// little of it.
func fairRows() []Row {
	var rows []Row
	for _, n := range []int{2, 6} {
		for _, r := range append(greedyRows(n), greedyRows2(n)...) {
			r.Number, r.Name = 21, fmt.Sprintf("%d clients take %s", n, r.Name)
			r.Alone = "how a library shares is its own"
			if n == 6 && !strings.Contains(r.Name, "all subscriptions") {
				r.FullOnly = !r.SmallOnly
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// greedyRows are the rows of n greedy clients over HTTP.
func greedyRows(n int) []Row {
	return []Row{
		{
			Name: "all places of requests", On: over(Sessions, Modern, HTTP2),
			Options: []string{"MaxRequests=100", "ResumeTimeout=300ms"},
			Hostile: []Clients{{N: 100 * n, Full: 600 * n, Addresses: n, Opens: 4 * n, Send: []Message{tool("slow", "")}}},
			Want:    Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
		{
			Name: "all streams", On: over(Modern, HTTP2), Options: []string{"MaxStreams=100", "MaxPerClient=10"}, Ask: Listens,
			Hostile: []Clients{{N: 100 * n, Full: 1000 * n, Addresses: n, Send: []Message{listen(`"watched:///h"`)},
				Read: Head}},
			Want: Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
		{
			Name: "all streams of notifications", On: over(Sessions), SmallOnly: true,
			Options: []string{"MaxStreams=100", "MaxPerClient=10"},
			Hostile: []Clients{{N: 100 * n, Addresses: n, Opens: OneEach, Send: []Message{{Method: "GET"}}, Read: Head}},
			Ask:     Answers, Want: Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
		{
			Name: "all sessions of HTTP+SSE", On: over(Events),
			Options: []string{"MaxSessions=100", "MaxStreams=100", "MaxPerClient=10"},
			Hostile: []Clients{{N: 100 * n, Full: 1000 * n, Addresses: n, Opens: OneEach, Send: []Message{request("ping", "")},
				Read: Reply}},
			Want: Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
		{
			Name: "all places of questions", On: over(Sessions),
			Options: []string{"MaxWaiting=100", "MaxPerClient=10", "ResumeTimeout=500ms"},
			Hostile: []Clients{{N: 100 * n, Full: 1000 * n, Addresses: n, Opens: OneEach, Send: []Message{tool("ask", "")},
				Read: FirstEvent}},
			Ask: Answers, Want: Verdict{Memory: 256 << 20, Full: 512 << 20},
		},
		{
			Name: "all subscriptions", On: over(Modern, HTTP2), Options: []string{"MaxTotalSubscriptions=1000"}, Ask: Listens,
			Hostile: []Clients{{N: 20 * n, Full: 40 * n, Addresses: n, Send: []Message{listen(`$uris(50,item:///)`)},
				Read: Head}},
			Want: Verdict{Memory: 512 << 20},
		},
		{
			Name: "all subscriptions of sessions", On: over(Sessions, Events), Options: []string{"MaxTotalSubscriptions=1000"},
			Hostile: []Clients{{N: n, Addresses: n, Opens: OneEach, Times: 500, Send: []Message{subscribe("item:///$n")},
				Read: Reply}},
			Ask: Listens, SmallOnly: true, Want: Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
	}
}

// greedyRows2 are more of them.
func greedyRows2(n int) []Row {
	var names []string
	files := map[string]int{"small.md": 100}
	for i := range 60 {
		names = append(names, fmt.Sprintf(`"handbook:///f$n-%d.md"`, i))
	}
	for i := range n {
		files[fmt.Sprintf("f%d-$n.md", i)] = 60
	}
	watch := listen(strings.Join(names, ","))
	big := []Message{read("handbook:///big.txt")}
	return []Row{
		{
			Name: "all watchers", On: over(Modern, HTTP2), Options: []string{"MaxWatchers=60"}, Server: "files",
			Files:   files,
			Hostile: []Clients{{N: n, Addresses: n, Send: []Message{watch}, Read: FirstEvent}},
			Ask:     Watches, URI: "handbook:///small.md", SmallOnly: true,
		},
		{
			Name: "all room for answers", On: over(Sessions, Modern, Events, HTTP2), Options: fewBytes, Server: "files",
			Files: largeSmall, FilesFull: largeFull,
			Hostile: []Clients{{N: 40 * n, Full: 100 * n, Addresses: n, Opens: n, Small: true, Send: big}},
			Ask:     Reads, URI: "handbook:///big.txt", Want: answersWant,
		},
		{
			Name: "all room for bodies", On: over(Sessions, Modern, HTTP2), Options: append(fewBytes[:2:2], "ReadTimeout=1s"),
			Hostile: []Clients{{N: 40 * n, Full: 100 * n, Addresses: n, Opens: n, Send: []Message{{
				RPC: "tools/call", Params: `{"name":"echo","arguments":{"text":"` + long(1_000_000) + `"}}`, Missing: 100}}}},
			Want: answersWant,
		},
		{
			Name: "all connections, with bodies that do not come", On: over(Sessions, Modern),
			Options: []string{"MaxConnections=100", "ReadTimeout=2s"},
			Hostile: []Clients{{N: 100 * n, Full: 4200 * n, Addresses: n, Opens: n, Send: []Message{slowBody("POST", "")}}},
			Want:    Verdict{Memory: 320 << 20},
		},
		{
			Name: "all connections, with listens", On: over(Modern), Options: []string{"MaxConnections=100"},
			Hostile: []Clients{{N: 100 * n, Full: 1000 * n, Addresses: n, Send: []Message{listen(`"watched:///h"`)},
				Read: Head}},
			Want: Verdict{Memory: 320 << 20},
		},
		{
			Name: "all calls of Authenticate", On: over(Modern, HTTP2), Options: []string{"MaxRequests=100"}, Subjects: true,
			Hostile: []Clients{{N: 100 * n, Full: 600 * n, Addresses: n, Subject: "hang",
				Send: []Message{tool("echo", `"text":"x"`)}}},
			Want: Verdict{Memory: 128 << 20, Full: 512 << 20},
		},
	}
}
