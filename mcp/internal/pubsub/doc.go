// Package pubsub keeps the subscriptions of a server and delivers updates to them.
//
// A [Hub] is the registry of one server: which [Subscription] belongs to which topic. [Streams] are the subscriptions
// of one connection: its session and any number of listens. An [Outbox] is the outgoing side of that connection.
//
// An update takes this way, from the program to the bytes on a connection:
//
//  1. mcp.Server.ResourceUpdated, a Holder or a Store calls [Hub.Publish] with a URI; a watcher calls Hub.publishTopic.
//  2. Publish asks the [Keyer] which resource the URI names and finds the topic of that key, by a hash of its text.
//  3. topic.markLocked calls Subscription.mark for each subscription, which sets its dirty bit. Publish returns.
//  4. mark calls Outbox.scheduleLocked: the subscription enters the due queue of its connection, and its connection
//     the queue of pumps.
//  5. pumps.run calls Outbox.pump when it is due, which calls Outbox.step once for each message.
//  6. step calls Outbox.nextLocked, which takes the first subscription that is due and clears its dirty bit.
//  7. If the subscription has an [Authorizer], Outbox.authorize asks it, without a lock.
//  8. [Encoder].AppendUpdate writes the message of the stream. It is encoder in mcp/internal/subscribe/encoder.go.
//     What the messages of several streams have in common is their [Rest], which nobody copies.
//  9. Outbox.writeLocked calls [Writer].WriteMessage of the connection, or WriteUpdate if it has that.
//  10. On stdio that writes a line to standard output. In mcphttp both are WriteUpdate: writerConn of package session
//     calls postWriter.NotifyInTwo for a listen, and a Session of package sessions calls Log.Pass of package eventlog
//     for its GET stream. Both end in Stream.event, which writes to the SSE stream.
//
// # Guarantees
//
// A subscription has at most one update to come. One that is marked while its update is being written is written again,
// so that the last change always follows. A change between the place of a subscription ([Streams.Subscribe],
// [Streams.Listen]) and its confirmation ([Streams.Accept], [Streams.Acknowledge]) is delivered right after the
// confirmation: both queue the confirmation and release the updates in one critical section. After [Streams.Cancel] and
// [Streams.Unsubscribe] have returned, no update follows whatever is written next.
//
// # Locks
//
// In the order in which they nest:
//
//	Hub.mu        the topics, their subscriptions and watchers, closed
//	absences.mu   which subscriptions without a watcher are asked about next
//	Outbox.write  one message being written; the only lock that is held during I/O
//	Outbox.mu     the streams of the connection and what they have to deliver
//	pumps.mu      whose pump runs when
//	shares.mu     what each client has
//
// Neither Hub.mu nor absences.mu is held together with Outbox.write. No lock is held while a [Keyer], an [Opener], an
// [Authorizer] or any other code of the program runs. Code that is called with a lock held says so: the live functions
// of [Outbox.Write] and [Streams.Accept], [Listen].Settle, and the methods of [Encoder] must not block and may take
// leaf locks only.
//
// The package knows no type of package mcp, of the protocol or of a transport. What it needs is in outside.go.
package pubsub
