package attack

import "fmt"

// appRows are clients of golden/board, which has an app and many cards.
func appRows() []Row {
	row := func(name string, g ...Clients) Row {
		return Row{Number: 19, Name: name, On: aboutBytes, Server: "board", Ask: Reads, URI: "ui://board/cards",
			Options: fewBytes, Hostile: g, Want: answersWant, Alone: "apps are this project's"}
	}
	unread := func(name string, m ...Message) Row {
		return row(name, Clients{N: 60, Full: 500, Addresses: 2, Opens: 4, Times: 3, Small: true, Send: m})
	}
	var escapes []Message
	for _, uri := range []string{"ui://board/../board.go", "ui://board/cards/../../board.go", "ui://board/%2e%2e/board.go",
		"ui://board/cards%00", "ui://BOARD/cards", "ui://board/cards?x", "ui://board", "ui://board/app.html",
		"ui://board//cards"} {
		escapes = append(escapes, read(uri))
	}
	outside := row("URIs of pages that lead elsewhere", Clients{N: 2, Opens: 2, Times: 20, Send: escapes, Read: Reply})
	outside.Want = Verdict{Replies: refused}
	watched := row("two clients subscribe to cards that are not there, and move others",
		Clients{N: 2, Addresses: 2, Opens: 2, Times: 100, Send: []Message{
			tool("move", `"number":$n,"to":"done"`), tool("move", `"number":$n,"to":"todo"`)}, Read: Reply})
	cards := unread("the tool of an app returns 5,000 cards, and nothing is read", tool("show_board", ""))
	cards.Want.Memory += 48 << 20 // for the cards of the handlers that run at once: they are not yet an answer
	return []Row{
		cards,
		unread("the page of an app, and nothing is read", read("ui://board/cards")),
		unread("blobs of 4 MiB that lie in a store, and nothing is read", read("files:///large.bin")),
		unread("lists of 10,000 resources, and nothing is read", request("resources/list", "")),
		outside, watched,
	}
}

// skillRows are clients of golden/guides, which has skills for everybody and for some.
func skillRows() []Row {
	row := func(name string, on []Transport, g ...Clients) Row {
		return Row{Number: 20, Name: name, On: on, Server: "guides", Ask: Reads, URI: "skill://write-letter/SKILL.md",
			Hostile: g, Alone: "skills are this project's"}
	}
	about := func(method string, uris ...string) (list []Message) {
		for _, u := range uris {
			list = append(list, request(method, fmt.Sprintf(`{"uri":%q}`, u)))
		}
		return list
	}
	everybody := over(Stdio, Sessions, Modern, Events, HTTP2)
	outside := []string{"skill://acme/refunds/SKILL.md", "skill://write-letter/../acme/refunds/SKILL.md",
		"skill://write-letter/%2e%2e/acme/refunds/SKILL.md", "skill://acme%2frefunds/SKILL.md",
		"skill://ACME/refunds/SKILL.md",
		"skill:///acme/refunds/SKILL.md", "skill://acme/refunds/./SKILL.md", "skill://acme//refunds/SKILL.md",
		"skill://write-letter/SKILL.md/../../guides.go", "skill://night-watch/SKILL.md", "skill://user@acme/refunds/SKILL.md",
		"skill://acme:80/refunds/SKILL.md", "skill://acme/refunds/references/limits.md", "skill://acme/refunds/SKILL.md#x",
		"skill://acme/refunds/SKILL.md?x"}
	hidden := row("paths of skills that are for others, or lead elsewhere", everybody,
		Clients{N: 1, Opens: 1, Send: about("resources/read", outside...), Read: Reply},
		Clients{N: 1, Send: about("skills/get", outside...), Read: Reply},
		Clients{N: 1, Send: about("resources/directory/read", "skill://acme", "skill://acme/refunds", "skill://acme/refunds/",
			"skill://write-letter/..", "skill://", "skill:///", "skill://night-watch", "skill://acme/refunds/references"),
			Read: Reply})
	hidden.Want = Verdict{Replies: refused, Check: nobodyGets(`"result"`)}
	cursor := func(method, more string) Message { return request(method, `{"cursor":`+more+`}`) }
	forged := row("cursors of lists of skills that were made up", everybody,
		Clients{N: 1, Opens: 1, Times: 10, Send: []Message{
			cursor("skills/list", `"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA$n"`), cursor("skills/list", `"2"`),
			cursor("skills/list", `"`+long(100<<10)+`"`),
			cursor("resources/directory/read", `"AAAA$n","uri":"skill://restart"`),
			cursor("resources/directory/read", `"-1","uri":"skill://restart"`)}, Read: Reply})
	forged.Want = Verdict{Replies: []string{"-32602", "200 -32602", "400 -32602"}}
	pages := row("skills are listed 20,000 times, and nothing is read", over(Sessions, Modern, Events, HTTP2),
		Clients{N: 50, Full: 200, Addresses: 2, Opens: 4, Times: 100, Small: true, Send: []Message{request("skills/list", ""),
			request("resources/directory/read", `{"uri":"skill://restart"}`)}})
	pages.Want = Verdict{Memory: 192 << 20, Full: 640 << 20}
	return []Row{hidden, forged, pages}
}
