package attack

import "fmt"

// taskRow is a row of golden/jobs, or of package served.
func taskRow(name, server string, on []Transport, groups ...Clients) Row {
	return Row{Number: 17, Name: name, On: on, Server: server, Tasks: true, Stays: true,
		Alone: "tasks are this project's",
		Flags: []string{"-set", "Grace=200ms"}, Hostile: groups}
}

var ofSessions = over(Sessions, Modern)

// taskRows are clients that take the room of tasks.
func taskRows() []Row {
	var rows []Row
	for _, n := range []int{2, 6} {
		row := taskRow(fmt.Sprintf("%d addresses have 40 long tasks each", n), "jobs", ofSessions,
			Clients{N: 40 * n, Addresses: n, Opens: n, Send: []Message{letters(5_000)}, Read: Reply})
		row.Ask = Works
		rows = append(rows, row)
		row = taskRow(fmt.Sprintf("%d subjects have 40 long tasks each", n), "jobs", ofSessions,
			Clients{N: 40 * n, Addresses: n, Opens: n, Subject: "greedy$n", Send: []Message{letters(5_000)}, Read: Reply})
		row.Ask, row.Subjects = Works, true
		rows = append(rows, row)
	}
	ended := taskRow("100 addresses have 100 ended tasks each, and a newcomer makes one", "jobs", ofSessions,
		Clients{N: 300, Full: 10_000, Addresses: 100, Opens: 100, Send: []Message{letters(1)}, Read: Reply, Keeps: true,
			Leaves: true},
		Clients{N: 300, Full: 10_000, Addresses: 100, Opens: 100, Send: []Message{request("tasks/get", `{"taskId":"$task"}`)},
			Read: Reply, Until: `"completed"`, Leaves: true})
	ended.Ask, ended.Options = Works, []string{"MaxTotal=250"}
	ended.Flags = append(ended.Flags, "-pace", "1ms")
	rows = append(rows, ended)
	for _, n := range []int{1, 2, 6} {
		row := taskRow(fmt.Sprintf("%d subjects list their tasks on 50 connections each", n), "jobs", over(Sessions),
			Clients{N: n, Opens: OneEach, Addresses: n, Subject: "greedy$n", Times: 50,
				Send: []Message{letters(1)}, Read: Reply},
			Clients{N: 50 * n, Addresses: n, Subject: "greedy$n", Times: 10, AtOnce: true,
				Send: []Message{request("tasks/list", "{}")}, Read: Reply})
		row.Ask, row.Subjects, row.FullOnly = Lists, true, n == 2
		rows = append(rows, row)
	}
	return append(rows, recordRows()...)
}

func listenTo(tasks string) Message {
	return request("subscriptions/listen", `{"notifications":{"taskIds":["`+tasks+`"]}}`)
}

// recordRows are records that are large, and asked for often.
func recordRows() []Row {
	state := request("tasks/get", `{"taskId":"$task"}`)
	listened := taskRow("100 listens on one task with 4 MB of arguments that tells how far it is", "", over(Modern, HTTP2),
		Clients{N: 1, Send: []Message{tool("toil", `"ms":20000,"text":"`+long(3_900_000)+`"`)}, Read: Reply, Keeps: true},
		Clients{N: 100, Send: []Message{listenTo("$task")}, Read: FirstEvent})
	listened.Want = Verdict{Memory: 192 << 20}
	results := taskRow("500 listens of 60 ended tasks of 1 MiB each", "", over(Modern, HTTP2),
		Clients{N: 60, Addresses: 2, Send: []Message{tool("gift", `"kib":1000`)}, Read: Reply, Keeps: true},
		Clients{N: 60, Send: []Message{state}, Read: Reply, Until: `"completed"`},
		Clients{N: 30, Full: 500, Send: []Message{listenTo("$tasks")}, Read: FirstEvent})
	results.Want = Verdict{Memory: 256 << 20}
	unread := taskRow("the results of 60 tasks of 1 MiB are asked for, and not read", "", over(Modern, HTTP2),
		Clients{N: 60, Send: []Message{tool("gift", `"kib":1000`)}, Read: Reply, Keeps: true},
		Clients{N: 60, Send: []Message{state}, Read: Reply, Until: `"completed"`},
		Clients{N: 50, Full: 500, Times: 10, Small: true, Send: []Message{state}})
	unread.Options, unread.Want = fewBytes, Verdict{Memory: answersSmall + 128<<20, Full: answersFull + 128<<20}
	arguments := taskRow("tasks with 3 MB of arguments from one address run", "jobs", ofSessions,
		Clients{N: 40, Full: 100, Opens: 1, Send: []Message{letters(750_000)}, Read: Reply})
	// The client's shares of requests, of the store and of what handlers are given, and as much again that is not
	// collected.
	arguments.Want, arguments.Ask = Verdict{Memory: 2 * (64<<20 + 64<<20 + 32<<20)}, Works
	return []Row{listened, results, unread, arguments}
}

// floodRows are many requests about tasks.
func floodRows() []Row {
	about := func(method, more string) Message { return request(method, `{"taskId":"$task"`+more+`}`) }
	guess := func(method, more string) Message {
		return request(method, `{"taskId":"0123456789ABCDEFGHJK$n"`+more+`}`)
	}
	lasting := Clients{N: 20, Opens: 1, Send: []Message{letters(5_000)}, Read: Reply, Keeps: true}
	guessed := taskRow("task ids are guessed", "jobs", ofSessions,
		Clients{N: 5, Opens: 1, Send: []Message{letters(5_000)}, Read: Reply, Keeps: true},
		Clients{N: 20, Addresses: 2, First: 9, Times: 50, Send: []Message{guess("tasks/get", ""), guess("tasks/cancel", "")},
			Read: Reply})
	guessed.Ask, guessed.Want = Works, Verdict{Replies: []string{"200 result", "200 -32602", "400 -32602", "404 -32602"}}
	cancels := taskRow("20 tasks are cancelled 200 times each at once", "jobs", ofSessions, lasting,
		Clients{N: 40, AtOnce: true, Times: 100, Send: []Message{about("tasks/cancel", "")}, Read: Reply})
	cancels.Ask = Works
	updates := taskRow("tasks that ask get answers to other questions, 100 times each", "jobs", over(Modern, HTTP2),
		Clients{N: 20, Send: []Message{tool("purge", `"prefix":"none"`)}, Read: Reply, Keeps: true},
		Clients{N: 20, Times: 100, Send: []Message{
			about("tasks/update", `,"inputResponses":{"x$n":{"action":"accept","content":{"delete":true}}}`),
			about("tasks/update", `,"inputResponses":{"consent":{"action":"accept","content":{"x":1}}}`)}, Read: Reply})
	updates.Ask = Works
	large := taskRow("tasks that ask get answers of 1 MB", "jobs", over(Modern),
		Clients{N: 20, Send: []Message{tool("purge", `"prefix":"none"`)}, Read: Reply, Keeps: true},
		Clients{N: 5, Full: 20, Times: 5, Send: []Message{about("tasks/update",
			`,"inputResponses":{"consent":{"action":"accept","content":{"x":"`+long(1_000_000)+`"}}}`)}, Read: Reply})
	large.Ask, large.Want = Works, Verdict{Memory: 192 << 20}
	waits := taskRow("2,000 requests wait for the results of tasks", "jobs", over(Sessions, Events),
		Clients{N: 20, Opens: 20, Send: []Message{letters(5_000)}, Read: Reply, Keeps: true},
		Clients{N: 300, Full: 2000, Send: []Message{about("tasks/result", "")}})
	waits.Ask, waits.Want = Works, Verdict{Memory: 128 << 20}
	unread := taskRow("clients make tasks, and read nothing", "jobs", ofSessions,
		Clients{N: 50, Full: 500, Addresses: 4, Opens: 8, Times: 20, Small: true, Send: []Message{letters(1)}})
	unread.Ask = Works
	lists := taskRow("two subjects ask for pages of 100 tasks and read nothing", "jobs", over(Sessions),
		Clients{N: 2, Opens: OneEach, Addresses: 2, Subject: "greedy$n", Times: 100,
			Send: []Message{letters(1)}, Read: Reply},
		Clients{N: 100, Addresses: 2, Subject: "greedy$n", Times: 20, Small: true,
			Send: []Message{request("tasks/list", "{}")}})
	lists.Ask, lists.Subjects = Lists, true
	return []Row{guessed, cancels, updates, large, waits, unread, lists}
}
