package attack

const onlyHTTP2 = "the attacks on other libraries are over HTTP/1.1"

// http2Rows are what only HTTP/2 can be attacked with, on an http.Server of the program and on one by -tls-cert.
func http2Rows() []Row {
	row := func(name string, g ...Clients) Row {
		return Row{Number: 18, Name: name, On: over(HTTP2, HTTPS), Hostile: g, Alone: onlyHTTP2}
	}
	slow := []Message{tool("slow", "")}
	resets := row("streams are opened and broken off at once, 10,000 on each of 5 connections",
		Clients{N: 5, Times: 2000, Flood: Resets, Send: slow})
	echoes := row("streams with answers are opened and broken off at once",
		Clients{N: 5, Addresses: 2, Times: 2000, Flood: Resets, Send: []Message{tool("huge", `"mib":1`)}})
	// What net/http has of 250 streams on each of 5 connections comes to the bytes of the answers.
	echoes.Options, echoes.Want = fewBytes, Verdict{Memory: answersSmall + 16<<20, Full: answersFull}
	streams := row("2,000 calls on one connection", Clients{N: 1, Times: 2000, Send: slow})
	many := row("250 calls on each of 40 connections", Clients{N: 8, Full: 40, Addresses: 2, Times: 250, Send: slow})
	many.Options, many.Want = []string{"MaxRequests=400"}, Verdict{Memory: 160 << 20}
	closed := row("windows of 0 for answers of 4 MiB", Clients{N: 8, Full: 40, Addresses: 2, Times: 50, Closed: true,
		Send: []Message{tool("huge", `"mib":4`)}})
	closed.Options, closed.Want = fewBytes, answersWant
	closed.Options = append(closed.Options[:2:2], "AnswerTimeout=1s")
	listens := row("200 listens on each of 20 connections", Clients{N: 4, Full: 20, Addresses: 2, Times: 200,
		Send: []Message{listen(`"watched:///h"`)}})
	listens.Ask = Listens
	listens.Options = []string{"MaxStreams=1000", "MaxPerClient=100"}
	listens.Want = Verdict{Memory: 128 << 20}
	unread := row("listens whose streams have a window of 0, and updates",
		Clients{N: 4, Addresses: 2, Times: 20, Closed: true, Send: []Message{listen(`"item:///a"`)}},
		Clients{N: 1, Times: 200, Send: []Message{tool("publish", `"name":"a"`)}, Read: Reply})
	unread.Options = []string{"WriteTimeout=300ms", "UpdateDelay=-1ns"}
	stuck := row("250 requests on each of 400 connections, and nothing is read, not even refusals",
		Clients{N: 20, Full: 400, Addresses: 2, Times: 250, Small: true, Send: []Message{request("tools/list", "")}})
	stuck.Options, stuck.Want = []string{"MaxConnections=1000"}, Verdict{Memory: 64 << 20, Full: 512 << 20}
	large := row("headers of 1 MiB", Clients{N: 20, Full: 100, Addresses: 2, Times: 3, Flood: LargeHeader, Send: slow})
	going := row("headers that never end", Clients{N: 20, Full: 100, Addresses: 2, Times: 1000, Flood: Continuations,
		Send: slow})
	set := row("settings, 20,000 on each connection",
		Clients{N: 5, Full: 20, Addresses: 2, Times: 20_000, Flood: ManySettings})
	pings := row("pings, 20,000 on each connection", Clients{N: 5, Full: 20, Addresses: 2, Times: 20_000, Flood: Pings})
	empty := row("bodies of empty frames, 20,000 on each connection",
		Clients{N: 5, Full: 20, Addresses: 2, Times: 20_000, Flood: EmptyData, Send: slow})
	empty.Options = []string{"ReadTimeout=500ms"}
	bodies := row("200 bodies on each connection begin and do not go on",
		Clients{N: 5, Full: 40, Addresses: 2, Times: 200, Flood: OpenHeaders, Send: slow})
	bodies.Options, bodies.Want = []string{"ReadTimeout=500ms"}, Verdict{Memory: 160 << 20}
	idle := row("248 idle connections of HTTP/2 at 256 descriptors",
		Clients{N: 248, Addresses: 4, Send: []Message{tool("echo", `"text":"x"`)}, Read: Reply})
	idle.Descriptors = 256
	left := row("handshakes, and no request", Clients{N: 100, Full: 2000, Addresses: 2, Then: Close})
	return []Row{handshakes(row), left, resets, echoes, streams, many, closed, listens, unread, stuck, large, going, set,
		pings, empty, bodies, idle}
}

// handshakes are clients that do not come to speak TLS.
func handshakes(row func(name string, g ...Clients) Row) Row {
	hello := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" // the beginning of a ClientHello of 512 bytes
	plain := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
	return row("handshakes of TLS that do not begin, stop, or are none",
		Clients{N: 40, Full: 2000, Addresses: 2, Flood: NoHandshake, Then: Await},
		Clients{N: 40, Full: 2000, Addresses: 2, Flood: NoHandshake, Bytes: hello, Then: Await},
		Clients{N: 20, Full: 200, Addresses: 2, Flood: NoHandshake, Bytes: plain, Then: Await},
		Clients{N: 20, Full: 200, Addresses: 2, Flood: NoHandshake, Bytes: long(64 << 10), Then: Await})
}
