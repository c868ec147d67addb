// Package sessions has the sessions of clients of revisions before 2026-07-28. The way of a session:
//
//  1. [Set.New] counts it for its client. If there are too many, idle ones of who has most make room (room.go).
//  2. It is handled, gets its id, and [Set.Add] enters it in the table (table.go), and by its [Key] if other processes
//     may speak of it (key.go).
//  3. [Set.Find] returns it in use, to the subject that has opened it only. Each use ends with [Session.Done].
//  4. The server writes its notifications to it: a [Session] is the transport.Conn of those (session.go).
//  5. [Set.Forget] ends it; so does the sweep, when nobody has used it for the timeout (set.go).
//  6. Requests whose clients have left are cancelled after some time (abandoned.go).
//
// A session knows nothing of HTTP requests, and nothing of other processes: who shares it sets [Session.Elsewhere].
package sessions
