package attack

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// batchRows are many calls at once.
func batchRows() []Row {
	return []Row{
		{
			Number: 5, Name: "a batch of 14 kB calls 150 times for 12 MiB, and its client leaves", On: over(Stdio, Sessions),
			Revision: "2025-03-26", FullOnly: true,
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{batch(150, 12)}}},
			Want:    Verdict{Memory: 256 << 20},
		},
		{
			Number: 5, Name: "a batch calls 60 times for 4 MiB, and its client leaves", On: over(Sessions, Events),
			Revision: "2025-03-26", SmallOnly: true,
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{batch(60, 4)}}},
			// The quarter of MaxPendingBytes that one client has, twice: the responses, and all of them as one.
			Want: Verdict{Memory: 160 << 20},
		},
		{
			Number: 5, Name: "a batch calls 60 times for 4 MiB", On: over(Stdio), Revision: "2025-03-26", SmallOnly: true,
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{batch(60, 4)}}},
			// The responses of the batch, and those that calls at the same time have made before they are refused.
			Want: Verdict{Memory: 512 << 20},
		},
		{
			Number: 10, Name: "a ping behind 250 calls that do not end", On: over(Stdio), Stays: true,
			Options: []string{"Grace=100ms"},
			Hostile: []Clients{
				{N: 250, Send: []Message{tool("slow", "")}},
				{N: 1, Send: []Message{{RPC: "ping", ID: `"ping"`}}},
			},
			Want: Verdict{Check: pingFirst},
		},
		{
			Number: 10, Name: "200 calls that return when all of them run", On: over(Stdio, Sessions, Modern, Events),
			Hostile: []Clients{{N: 200, Opens: 1, Addresses: 4, Send: []Message{tool("gather", `"n":200`)}, Then: Drain}},
			Want:    Verdict{Replies: []string{"200 result", "result"}, Check: allAnswered(200)},
		},
		{
			Number: 13, Name: "a call, its cancellation and a ping, many times", On: over(Stdio),
			Hostile: []Clients{{N: 500, Full: 20_000, Send: []Message{
				tool("deaf", `"ms":0`),
				{RPC: "notifications/cancelled", ID: "-", Params: `{"requestId":"c$n"}`},
				{RPC: "ping", ID: `"p$n"`},
			}}},
			Want: Verdict{Check: cancelledStaysSilent},
		},
	}
}

// batch calls n times for so many MiB.
func batch(n, size int) Message {
	var calls []string
	for i := range n {
		calls = append(calls, fmt.Sprintf(
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"huge","arguments":{"mib":%d}}}`, i, size))
	}
	return Message{Body: "[" + strings.Join(calls, ",") + "]"}
}

// answerIndex is the place of an answer in the order of answers; -1 if there is none.
func answerIndex(res *Result, id string) int {
	return slices.IndexFunc(res.Order, func(s string) bool { return strings.HasPrefix(s, id+" ") })
}

// pingFirst wants the ping to be answered while the calls run.
func pingFirst(res *Result) error {
	ping := answerIndex(res, `"ping"`)
	first := slices.IndexFunc(res.Order, func(s string) bool { return strings.HasPrefix(s, `"c`) })
	if ping < 0 || first >= 0 && first < ping {
		return fmt.Errorf("the ping has place %d among the answers, the first call place %d", ping, first)
	}
	return nil
}

// allAnswered wants so many results on stdio.
func allAnswered(n int) func(*Result) error {
	return func(res *Result) error {
		if res.Order == nil {
			return nil
		}
		got := 0
		for _, s := range res.Order {
			if strings.HasPrefix(s, `"c`) && strings.HasSuffix(s, " result") {
				got++
			}
		}
		if got != n {
			return fmt.Errorf("%d of %d calls have results", got, n)
		}
		return nil
	}
}

// cancelledStaysSilent wants no answer to a request after that to what was sent behind its cancellation.
func cancelledStaysSilent(res *Result) error {
	place := map[string]int{}
	for i, s := range res.Order {
		id, _, _ := strings.Cut(s, " ")
		place[id] = i
	}
	late := 0
	for id, at := range place {
		if fence, ok := place[strings.Replace(id, `"c`, `"p`, 1)]; ok && strings.HasPrefix(id, `"c`) && at > fence {
			late++
		}
	}
	if late > 0 {
		return fmt.Errorf("%d calls are answered after their cancellation was read", late)
	}
	return nil
}

// fillRows are clients that take all room.
func fillRows() []Row {
	big := tool("huge", `"mib":4`)
	return []Row{
		{
			Number: 6, Name: "40 idle sessions have got answers of 4 MiB each, twice", On: over(Sessions, Events),
			Hostile: []Clients{{N: 40, Opens: OneEach, Times: 2, Send: []Message{big}, Read: Reply}},
			Want:    Verdict{Memory: 384 << 20},
		},
		{
			Number: 6, Name: "40 sessions leave while answers of 4 MiB are made", On: over(Sessions, Events),
			Hostile: []Clients{{N: 40, Opens: OneEach, Times: 2, Send: []Message{big}, Then: Reset}},
			Want:    Verdict{Memory: 512 << 20},
		},
		{
			Number: 7, Name: "idle sessions from ten addresses fill the server", On: over(Sessions),
			Options:   []string{"MaxSessions=300", "MaxPerClient=30"},
			Hostile:   []Clients{{N: 10, Addresses: 10, Opens: 500, Send: []Message{request("ping", "")}, Read: Reply}},
			SmallOnly: true,
		},
		{
			Number: 7, Name: "10,000 idle sessions from ten addresses", On: over(Sessions), FullOnly: true,
			Hostile: []Clients{{N: 10, Addresses: 10, Opens: 10_000, Send: []Message{request("ping", "")}, Read: Reply}},
		},
		{
			Number: 12, Name: "one client uses up a tool with a rate", On: over(Sessions, Modern, Events), Tool: "limited",
			Hostile: []Clients{{N: 4, Opens: 4, Times: 20, Send: []Message{tool("limited", `"text":"x"`)}, Read: Reply}},
			Want:    Verdict{Check: someRefused},
			Alone:   "rates are this project's",
		},
		{
			Number: 12, Name: "forwarded headers without TrustedProxies", On: overHTTP,
			Hostile: []Clients{{N: 4, Times: 20, Send: []Message{{RPC: "tools/list", Header: []string{
				"X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1"}}}, Read: Reply}},
			Want:  Verdict{Check: warnedOnce},
			Alone: "the option is this project's",
		},
	}
}

// someRefused wants the rate to apply.
func someRefused(res *Result) error {
	if res.Replies["200 result"]+res.Replies["result"] > 60 {
		return fmt.Errorf("the rate does not apply: %v", res.Replies)
	}
	return nil
}

// warnedOnce wants one warning that names the option.
func warnedOnce(res *Result) error {
	if n := strings.Count(res.Text, "Options.TrustedProxies"); n != 1 {
		return fmt.Errorf("the log names Options.TrustedProxies %d times: %.300s", n, res.Text)
	}
	return nil
}

// logRows are texts of strangers that are logged.
func logRows() []Row {
	const hostile = `a\u0085b\u009b31mc\u202ed\u2066e\u200ff\u007fg\u2028h\ufeffi`
	return []Row{
		{
			Number: 8, Name: "requests with refused hosts of 50 KiB", On: onAllHTTP,
			Hostile: []Clients{{N: 20, Full: 100, Times: 20, Send: []Message{{RPC: "ping",
				Header: []string{"Host: " + long(50<<10) + ".example"}}}, Read: Reply}},
			Want: Verdict{Check: shortMessages},
		},
		{
			Number: 14, Name: "control characters in names that are audited", On: everywhere, Flags: []string{"-audit"},
			Hostile: []Clients{{N: 1, Opens: 1, Send: []Message{tool(hostileText, ""),
				request("resources/read", `{"uri":"item:///`+hostile+`"}`)}, Read: Reply}},
			Want:  Verdict{Log: 128 << 10, Check: printable},
			Alone: "audit records are this project's",
		},
	}
}

// hostileText has characters that change how a terminal shows a line.
const hostileText = "a\u0085b\u009b31mc\u202ed\u2066e\u200ff"

// shortMessages wants refusals not to repeat what was sent.
func shortMessages(res *Result) error {
	for _, m := range res.Messages {
		if len(m) > 1000 {
			return fmt.Errorf("a refusal has %d bytes", len(m))
		}
	}
	return nil
}

// printable wants no character in the log that is not printed.
func printable(res *Result) error {
	for _, r := range res.Text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return fmt.Errorf("the log has %U", r)
		}
	}
	return nil
}
