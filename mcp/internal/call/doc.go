// Package call has the requests that a server handles, from when the code of the user may run until the response is
// written: their context, what they tell and ask the client meanwhile, and the middleware around them.
//
//  1. The server makes a [Call] with [Call.Init] and enters it into the table of its [Conn].
//  2. It runs an [Operation] inside of the middleware of the feature, see [Use].
//  3. The handler reports progress, logs and notifies: each is a message that [Call.Send] gives to the [Responder].
//  4. It asks the client through a [Peer]. Before 2026-07-28 a question is a request, and the call waits (request.go).
//     Since then [Call.Outcome] is the response, and the client sends the request again (inputrequired.go).
//  5. Whoever calls [Call.Settle] first makes the response: the server out of what the handler has returned, or, before
//     that, a deadline, a policy or the end of the connection by [Call.Preempt]. After [Call.Cancel] nobody can.
//  6. The responder writes the response, and [Call.Release] gives back the bytes that it held (reserve.go).
//
// The package knows no features and no server: a Conn has what it needs of both in [Shared] and [Owner].
package call
