// Package replicas connects a server to the other processes that serve the same: its replicas. A server gets it with
// Options.Bus, and programs without one do not link it.
//
//  1. replica.Over makes the value of Options.Bus. The server calls its [Opener], which returns a [Connection].
//  2. The server notes what it publishes in its [Links]: the connections of all servers that it is joined with.
//  3. Package relay carries the note over the bus. On the other side [Replica] is the relay.Receiver: it tells its
//     [Server], which publishes to its own clients only, and has live values loaded again (package live).
//  4. After a loss, Resync tells all clients that everything may have changed. A replica that does not hear itself is
//     blind: its streams end, and Fenced refuses new ones.
//  5. Transports with sessions that any replica may serve add a [SessionPeer], which is told what other replicas say of
//     these sessions.
//
// Clients are told by the [Server], which package server implements.
package replicas
