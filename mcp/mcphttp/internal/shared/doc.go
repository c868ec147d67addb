// Package shared lets several processes of one server serve a session. The way of a session that another process has
// begun:
//
//  1. Its id is sealed text that says what initialize has agreed on; that it was ended is remembered (sealedid.go).
//  2. [Replicas.Adopt] opens it here, for what does not depend on earlier requests (adopt.go).
//  3. With a [Store] it has a record (record.go), which all processes change by comparing and swapping (store.go); what
//     the client subscribes to goes there (keeper.go). No call of the store can hang the server (storecall.go).
//  4. One process is the holder of the notification stream, and has the subscriptions (holder.go).
//  5. A response to a question of another process is forwarded to that, until it says that it has it (forward.go).
//  6. [Replicas] hears what the others say: a record has changed, a session has ended, or signals were lost.
//
// The states of 2026-07-28 that are good once are in the same store (storecall.go).
package shared
