// Package shared lets several processes of one server serve a session. The way of a session that another process has
// begun:
//
//  1. Its id is sealed text with what initialize has agreed on. That the session was ended is remembered apart
//     (sealedid.go).
//  2. [Replicas.Adopt] opens it here, for requests that do not depend on earlier ones (adopt.go).
//  3. With a [Store] it has a record (record.go), which all processes change by compare and swap (store.go). What the
//     client subscribes to is in the record (keeper.go). A call of the store cannot hang the server (storecall.go).
//  4. One process is the holder of the notification stream, and has the subscriptions (holder.go).
//  5. A response to a question of another process is forwarded to it, until it confirms that it has it (forward.go).
//  6. [Replicas] hears from the others that a record has changed, a session has ended, or signals were lost.
//
// The request states of 2026-07-28, which can be used once, are in the same store (storecall.go).
package shared
