// Package sessions has the sessions of clients of revisions before 2026-07-28. The way of a session:
//
//  1. [Set.New] counts it for its client. If there are too many, idle sessions of the client with the most make room
//     (room.go).
//  2. Its first message is handled, and it gets its id. [Set.Add] enters it in the table (table.go), also by its [Key]
//     if other processes may speak of it (key.go).
//  3. [Set.Find] returns it to the subject that has opened it, and to nobody else. Each use ends with [Session.Done].
//  4. The server writes its notifications to it: a [Session] is the transport.Conn of those (session.go).
//  5. [Set.Forget] ends it. So does the sweep, when nobody has used it for the timeout (set.go).
//  6. Requests whose clients have left are cancelled after some time (abandoned.go).
//
// A session knows nothing of HTTP requests and of other processes; package shared sets [Session.Elsewhere].
package sessions
