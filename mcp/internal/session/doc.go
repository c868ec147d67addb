// Package session reads the messages of clients and writes what they get: connections, legacy sessions, and exchanges
// of one request. It knows the rules of the revisions, but no feature: a [Host] has what the server gives it.
//
//  1. [Host.Serve] serves a connection. Its leader (connection.go) is the goroutine whose turn it is to read. Over HTTP
//     [Session.Handle] takes the messages of a session, and [Host.Exchange] a request of 2026-07-28.
//  2. A [Worker] finds the era and the revision of a message, and refuses what comes at the wrong time (worker.go).
//  3. Its [Handler] answers the request: it is handler of package server. Before code of the user runs, [Worker.Start]
//     makes the call; [Worker.Enter] comes right before that code, so that another goroutine may read.
//  4. Worker.finish writes the audit record, tells the observer, and gives the response to the [call.Responder].
//
// Errors become what clients may know of them in fault.go. What another process has to know of a session is its
// [State]. Subscriptions are those of package pubsub; outgoing.go opens them when they are needed.
package session
