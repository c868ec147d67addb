package attack

import "slices"

// over are transports.
func over(list ...Transport) []Transport { return list }

var (
	everywhere = over(Stdio, Sessions, Modern, Unix, Events)
	overHTTP   = over(Sessions, Modern, Unix)
	onAllHTTP  = over(Sessions, Modern, Unix, Events)
)

// waitingRows are clients that are asked something, or call what takes long, and go away.
func waitingRows() []Row {
	return []Row{
		{
			Number: 1, Name: "5 sessions call a tool that asks, 256 times each, and leave", On: over(Stdio, Sessions, Events),
			Stays:   true,
			Options: []string{"ResumeTimeout=100ms"},
			Hostile: []Clients{{N: 5 * 50, Full: 5 * 256, Opens: 5, Send: []Message{tool("ask", "")}}},
		},
		{
			Number: 1, Name: "1,024 users from four addresses have a dialog open each", On: over(Sessions, Events),
			Options: []string{"MaxRequests=100", "MaxPerClient=60", "ResumeTimeout=100ms"},
			Hostile: []Clients{{N: 200, Full: 1024, Addresses: 4, Opens: OneEach, Send: []Message{tool("ask", "")},
				Read: FirstEvent}},
			Want: Verdict{Replies: []string{"200", "event"}, Memory: 96 << 20},
		},
		{
			Number: 1, Name: "1,024 honest dialogs of both eras, and 5 sessions that call, 256 times each, and drop",
			On:      over(Sessions),
			Options: []string{"ResumeTimeout=500ms"},
			Hostile: []Clients{
				{N: 512, Addresses: 4, Opens: OneEach, Send: []Message{tool("ask", "")}, Read: FirstEvent, Then: Answer},
				{N: 512, Addresses: 4, Modern: true, Send: []Message{tool("ask", "")}, Read: Reply, Then: Answer},
				{N: 5 * 256, First: 9, Opens: 5, Send: []Message{tool("ask", "")}, Drops: true},
			},
			Want: Verdict{Check: results(1024), Replies: []string{"200", "200 asked", "200 result"}, Memory: 128 << 20},
		},
		{
			Number: 1, Name: "calls that wait for their end, and drop", On: overHTTP,
			Options: []string{"ResumeTimeout=500ms"},
			Hostile: []Clients{{N: 300, Full: 512, Opens: 5, Send: []Message{tool("slow", "")}, Drops: true}},
		},
		{
			Number: 1, Name: "calls that wait for their end, with the beginning of the next request, and drop",
			On: over(Sessions, Modern), Options: []string{"ResumeTimeout=500ms"},
			Hostile: []Clients{{N: 300, Full: 512, Opens: 5, Send: []Message{ahead(tool("slow", ""))}, Drops: true}},
		},
		{
			Number: 1, Name: "questions that nobody answers", On: over(Modern, Unix),
			Hostile: []Clients{{N: 10, Full: 100, Times: 20, Send: []Message{tool("ask", "")}, Read: Reply}},
			Want:    Verdict{Replies: []string{"200 asked"}},
		},
	}
}

// bodyRows are bodies that do not come.
func bodyRows() []Row {
	return []Row{
		{
			Number: 3, Name: "1,030 bodies from one address begin and do not go on", On: over(Sessions, Modern),
			Options: []string{"MaxConnections=100", "ReadTimeout=500ms"},
			Hostile: []Clients{{N: 120, Full: 1030, Send: []Message{slowBody("POST", "")}, Then: Await}},
			Want:    Verdict{Memory: 96 << 20},
		},
		{
			Number: 3, Name: "bodies of refused requests begin and do not go on", On: overHTTP,
			Options: []string{"ReadTimeout=500ms"},
			Hostile: []Clients{
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "", "Host: evil.example")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "", "Origin: https://evil.example")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "/nothing")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("PUT", "")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "", "Content-Type: text/plain")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("GET", "")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("DELETE", "", "Mcp-Session-Id: x")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("GET", "/livez")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "/livez")}, Then: Await},
			},
		},
	}
}

// ahead is m with the beginning of another request behind it.
func ahead(m Message) Message {
	m.Ahead = "P"
	return m
}

// unreadRows are clients that do not read.
func unreadRows() []Row {
	return []Row{
		{
			Number: 2, Name: "60 clients do not read answers of 12 MiB", On: onAllHTTP,
			Options: []string{"AnswerTimeout=300ms"},
			Hostile: []Clients{{N: 60, Full: 60, Opens: 1, Small: true, Send: []Message{tool("huge", `"mib":12`)}}},
			// 60 answers at most, which are made before they are refused.
			Want: Verdict{Memory: 896 << 20},
		},
		{
			Number: 2, Name: "4 clients do not read answers of 12 MiB, until the server closes the connections", On: onAllHTTP,
			Options: []string{"AnswerTimeout=300ms"},
			Hostile: []Clients{{N: 4, Opens: 1, Small: true, Send: []Message{tool("huge", `"mib":12`)}, Then: Await}},
			Want:    Verdict{Memory: 128 << 20},
		},
		{
			Number: 2, Name: "20 clients send 50 requests each for 1 MiB, and read nothing", On: onAllHTTP,
			Options: []string{"AnswerTimeout=300ms", "ReadTimeout=1s"},
			Hostile: []Clients{{N: 20, Full: 200, Opens: 4, Small: true, Times: 50, Send: []Message{tool("huge", `"mib":1`)},
				Then: Await}},
			// Over HTTP+SSE one connection brings many requests, whose answers are made at the same time.
			Want: Verdict{Memory: 384 << 20},
		},
		{
			Number: 11, Name: "a session does not read its event stream, and subscribes", On: over(Sessions),
			Options: []string{"WriteTimeout=1h", "UpdateDelay=-1ns"},
			Hostile: []Clients{
				{N: 1, Opens: 1, Send: []Message{subscribe("item:///" + long(30<<10))}, Read: Reply},
				{N: 1, Small: true, Send: []Message{{Method: "GET"}}, Read: Head},
				{N: 1, Times: 300, Send: []Message{tool("publish", `"name":"`+long(30<<10)+`"`)}, Read: Reply},
				{N: 1, Times: 10, Send: []Message{subscribe("item:///$n")}, Read: Reply},
			},
			Want: Verdict{Replies: []string{"200", "200 result"}},
		},
		{
			Number: 11, Name: "248 idle connections at 256 descriptors", On: onAllHTTP, Descriptors: 256,
			Hostile: []Clients{{N: 248, Addresses: 4, Opens: 1, Send: []Message{tool("echo", `"text":"x"`)}, Read: Reply}},
		},
	}
}

func long(n int) string {
	return string(slices.Repeat([]byte("x"), n))
}

// listenRows are subscriptions without end.
func listenRows() []Row {
	many := func(prefix string) Message {
		m := listen("$uris(10000," + prefix + ")")
		m.Modern = true
		return m
	}
	return []Row{
		{
			Number: 4, Name: "10 listens of 10,000 URIs each that are not there, and would be watched",
			On: over(Stdio, Modern, Unix), Stays: true,
			Hostile: []Clients{{N: 10, Full: 10, Send: []Message{many("watched:///")}, Read: FirstEvent}},
			// 100,000 subscriptions to what may come to be there cost up to 2.5 kB each at the peak.
			Want: Verdict{Memory: 384 << 20},
		},
		{
			Number: 4, Name: "10 listens of 10,000 URIs each that nothing watches", On: over(Stdio, Modern, Unix),
			Stays:   true,
			Hostile: []Clients{{N: 10, Full: 10, Send: []Message{many("item:///")}, Read: FirstEvent}},
			Want:    Verdict{Memory: 96 << 20},
		},
		{
			Number: 4, Name: "one session subscribes to 5,000 URIs that are not there", On: over(Stdio, Sessions, Events),
			Stays: true,
			Hostile: []Clients{{N: 1, Opens: 1, Times: 5000, Then: Delete, Send: []Message{subscribe("watched:///none$n")},
				Read: Reply}},
		},
		{
			Number: 8, Name: "a listen of 10,000 URIs writes audit records", On: over(Stdio, Modern, Unix),
			Flags: []string{"-audit"}, Stays: true,
			Hostile: []Clients{{N: 1, Send: []Message{many("watched:///")}, Read: FirstEvent}},
			Want:    Verdict{Log: 128 << 10},
			Alone:   "audit records are this project's",
		},
	}
}
