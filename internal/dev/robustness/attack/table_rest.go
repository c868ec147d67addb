package attack

import (
	"errors"
	"fmt"
	"strings"
)

// Secret is the text of a file that no client may read.
const Secret = "the text that is hidden"

// endRows are requests at the end of a server.
func endRows() []Row {
	return []Row{
		{
			Number: 9, Name: "SIGTERM while handlers ignore that their calls end", On: everywhere,
			Options: []string{"Grace=300ms", "StopDelay=2s"}, Ends: true,
			Hostile: []Clients{{N: 6, Opens: 1, Send: []Message{tool("deaf", `"ms":20000`)}, Then: Drain}},
			Want: Verdict{Check: endsOrderly,
				Replies: []string{"200 -32603", "500 -32603", "503 -32603", "200 failed", "200 result", "404 -32600",
					"-32603", "failed", "result"}},
			Alone: "what a program does at SIGTERM is not part of the other libraries",
		},
		{
			Number: 14, Name: "-unix-mode 0660", On: over(Unix), Flags: []string{"-unix-mode", "0660"},
			Want: Verdict{Check: func(res *Result) error {
				if res.Mode != "-rw-rw----" {
					return fmt.Errorf("the socket has %s", res.Mode)
				}
				return nil
			}},
			Alone: "the flag is this project's",
		},
	}
}

// endsOrderly wants a probe to have seen 503 before the listener was closed, and an answer to every request.
func endsOrderly(res *Result) error {
	answers := 0
	for _, n := range res.Replies {
		answers += n
	}
	switch {
	case res.Order != nil && answerIndex(res, `"c5"`) < 0:
		return fmt.Errorf("not every call is answered: %v", res.Order)
	case res.Order == nil && res.Unready == 0:
		return errors.New("no probe has seen 503")
	case res.Order == nil && answers != 6:
		return fmt.Errorf("%d of 6 requests are answered", answers)
	case res.Dropped > 1: // one connection may be accepted by the system when the listener closes
		return fmt.Errorf("%d probes were accepted and not answered", res.Dropped)
	}
	return nil
}

// headerRows are requests that mean two things.
func headerRows() []Row {
	twice := func(name, value string) Message {
		m := request("ping", "")
		m.Header = []string{name + ": " + value, name + ": " + value}
		return m
	}
	with := func(header ...string) Message {
		m := tool("echo", `"text":"x"`)
		m.Header = header
		return m
	}
	each := func(opens int, list ...Message) (groups []Clients) {
		for i, m := range list {
			groups = append(groups, Clients{N: 1, Opens: opens, Send: []Message{m}, Read: Reply})
			if i == 0 {
				opens = 0
			}
		}
		return groups
	}
	return []Row{
		{
			Number: 13, Name: "doubled headers in a session", On: over(Sessions),
			Hostile: each(1, twice("Mcp-Session-Id", "$session"), twice("MCP-Protocol-Version", "2025-11-25"),
				Message{Method: "GET", Header: []string{"Last-Event-ID: 0-1", "Last-Event-ID: 0-2", "Accept: text/event-stream"}}),
			Want: Verdict{Replies: []string{"400", "400 -32600", "400 -32020", "400 -32602"}},
		},
		{
			Number: 13, Name: "media types of weight 0", On: over(Modern, Unix),
			Hostile: each(0, with("Accept: application/json;q=0, text/event-stream;q=0"), with("Accept: */*;q=0")),
			Want:    Verdict{Replies: []string{"406", "406 -32600"}},
		},
		{
			Number: 13, Name: "hosts that are addresses in a wrong form", On: over(Sessions, Modern, Events),
			Hostile: each(1, with("Host: ::1"), with("Host: [127.0.0.1]"), with("Host: localhost:80:80")),
			Want:    Verdict{Replies: []string{"400", "403", "400 -32600", "403 -32600"}},
		},
		{
			Number: 13, Name: "a client closes its side while its call runs", On: over(Modern, Unix),
			Hostile: []Clients{{N: 20, Send: []Message{tool("slow", "")}, Then: HalfClose}},
			Want:    Verdict{Replies: []string{"closed"}},
		},
		{
			Number: 13, Name: "events of streams that are not there", On: over(Sessions),
			Hostile: each(1, Message{Method: "GET", Header: []string{"Last-Event-ID: 7-1", "Accept: text/event-stream"}},
				Message{Method: "GET", Header: []string{"Last-Event-ID: x", "Accept: text/event-stream"}}),
			Want: Verdict{Replies: []string{"400", "400 -32600", "400 -32602"}},
		},
	}
}

// secretRows are files that are hidden, and texts that clients may not change.
func secretRows() []Row {
	file := func(path string) Message { return read("tree:///" + path) }
	return []Row{
		{
			Number: 14, Name: "links to files whose names begin with a dot", On: everywhere,
			Flags: []string{"-dir", "$dir", "-secret"},
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{file(".secret"), file("link"), file("folder/link"),
				file("folder/up/.secret"), file("dots/secret"), file("%2esecret")}, Read: Reply}},
			Want: Verdict{Replies: refused, Check: nobodyGets(Secret)},
		},
		{
			Number: 15, Name: "cursors and request states that were changed", On: everywhere,
			Hostile: []Clients{{N: 1, Opens: 1, Times: 10, Send: []Message{
				request("resources/list", `{"cursor":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA$n"}`),
				request("resources/templates/list", `{"cursor":"="}`),
			}, Read: Reply}},
			Want: Verdict{Replies: []string{"-32602", "200 -32602", "400 -32602"}},
		},
	}
}

// refused are the replies to requests for what is not there.
var refused = []string{"-32002", "-32602", "200 -32002", "200 -32602", "400 -32602", "404 -32602", "400 -32002",
	"404 -32002"}

// nobodyGets wants no client to have got a message with a text in it.
func nobodyGets(text string) func(*Result) error {
	return func(res *Result) error {
		for _, m := range res.Messages {
			if strings.Contains(m, text) {
				return fmt.Errorf("a client gets %.200s", m)
			}
		}
		return nil
	}
}
