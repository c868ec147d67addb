package attack

// alone says why other libraries take no part.
const alone = "the attacks on other libraries are over Streamable HTTP"

// eventRows are what only HTTP+SSE can be attacked with.
func eventRows() []Row {
	return []Row{
		{
			Number: 3, Name: "bodies for a session of HTTP+SSE begin and do not go on", On: over(Events), Alone: alone,
			Options: []string{"MaxConnections=100", "ReadTimeout=500ms"},
			Hostile: []Clients{{N: 120, Full: 1030, Opens: 1, Send: []Message{slowBody("POST", "")}}},
			Want:    Verdict{Memory: 96 << 20},
		},
		{
			Number: 3, Name: "bodies of refused messages begin and do not go on", On: over(Events), Alone: alone,
			Options: []string{"ReadTimeout=500ms"},
			Hostile: []Clients{
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "/sse?sessionId=x")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "/sse?sessionId=x", "Host: evil.example")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("POST", "", "Content-Type: text/plain")}, Then: Await},
				{N: 2, Full: 20, Send: []Message{slowBody("DELETE", "")}, Then: Await},
			},
		},
		{
			Number: 7, Name: "streams whose clients never send initialize", On: over(Events), Alone: alone,
			Options: []string{"MaxPerClient=30"},
			Hostile: []Clients{{N: 60, Full: 3000, Addresses: 4, Send: []Message{{Method: "GET"}}, Read: Head}},
			Want:    Verdict{Replies: []string{"200", "503"}},
		},
		{
			Number: 11, Name: "a session of HTTP+SSE subscribes, and does not read its stream", On: over(Events), Alone: alone,
			Options: []string{"WriteTimeout=1h", "AnswerTimeout=1h", "UpdateDelay=-1ns"},
			Hostile: []Clients{
				{N: 1, Opens: 1, Small: true, Send: []Message{subscribe("item:///" + long(30<<10))}, Read: Reply},
				{N: 1, Times: 300, Send: []Message{tool("publish", `"name":"`+long(30<<10)+`"`)}, Read: Head},
				{N: 1, Times: 10, Send: []Message{subscribe("item:///$n")}, Read: Head},
			},
			Want: Verdict{Replies: []string{"202", "result"}},
		},
		{
			Number: 2, Name: "20 sessions of HTTP+SSE call 40 times each for 4 MiB, and do not read their streams",
			On: over(Events), Alone: alone, Options: []string{"MaxPendingBytes=33554432"},
			Hostile: []Clients{{N: 20, Opens: OneEach, Small: true, Times: 40, Send: []Message{tool("huge", `"mib":4`)},
				Read: Head, Then: Reset}},
			// The answers that are being made, and what is not collected yet: 240 to 500 MiB. If they waited: 800 and more.
			Want: Verdict{Memory: 704 << 20},
		},
	}
}

// foreignRows are messages for sessions that the sender has not.
func foreignRows() []Row {
	return []Row{
		{
			Number: 13, Name: "messages for the sessions of others", On: over(Sessions, Events), Alone: alone, Subjects: true,
			Hostile: []Clients{
				{N: 20, Opens: OneEach, Addresses: 2, Subject: "ann$n", Send: []Message{tool("echo", `"text":"x"`)}, Read: Reply},
				{N: 20, Addresses: 2, First: 9, Subject: "eve$n", Times: 20,
					Send: []Message{tool("echo", `"text":"x"`), subscribe("item:///a")}, Read: Reply},
			},
			Want: Verdict{Replies: []string{"200 result", "result", "404 -32600"}, Check: results(20)},
		},
		{
			Number: 13, Name: "messages for sessions that are not there", On: over(Events), Alone: alone,
			Hostile: []Clients{
				{N: 4, Times: 10, Send: []Message{tool("echo", `"text":"x"`)}, Read: Reply},
				{N: 4, Times: 10, Send: []Message{{RPC: "ping", Path: "/sse?sessionId=$n"}}, Read: Reply},
				{N: 4, Times: 10, Send: []Message{{RPC: "ping", Path: "/sse?sessionId=a&sessionId=b"}}, Read: Reply},
			},
			Want: Verdict{Replies: []string{"400 -32600", "404 -32600"}},
		},
	}
}
