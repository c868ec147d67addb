// Package relay tells the replicas of one server about each other's changes, over a [replica.Bus] that may lose, repeat
// and reorder what it carries.
//
// A signal takes this way, from the program on one replica to the clients of another:
//
//  1. The server calls [Relay.Note]. That puts the signal into a bounded set and returns; it never waits for the bus.
//  2. The sender takes the set, cuts it into frames of at most maxBatch signals, seals and publishes them.
//  3. On each other replica the goroutine of the bus opens the frame and calls [Receiver].Deliver for each signal. That
//     reaches the clients of that replica and is not sent on.
//
// # What makes up for a bus that loses frames
//
// A frame has the random origin of its sender, an epoch, which begins with 1, and a sequence number, which begins with
// 1 in each epoch. A replica that cannot say what it has lost (its set was full, or Publish has failed) raises its
// epoch. Who hears a gap in the sequence, a higher epoch, or an origin that it does not know with anything but the
// first frame of the first epoch, resyncs: [Receiver].Resync marks everything as changed.
//
//   - Beats, frames without signals every 5 seconds, reveal that the last frame before a pause was lost.
//   - A peer that is silent for 15 seconds may have committed a change and ended before it could publish it, or may be
//     cut off and still commit: who misses it resyncs, and does so four more times, until the peer must be blind.
//   - A replica that does not hear its own beats for 30 seconds (MaxBlind) is blind: [Receiver].Blind ends its
//     streams, so that their clients go elsewhere, and [Relay.Fenced] refuses new ones until it hears itself again.
//   - A replica is ready once it has heard itself and every peer that it knows has said that it hears this replica:
//     what it commits from then on and cannot publish, these find out about.
//
// Beats list all peers up to maxListed; of more they list some, each time others, and those that are not ready. So the
// bytes that one replica receives grow with the number of the others, and not with its square.
//
// A checker (checker_test.go) runs this against a bus that drops, repeats, reorders, disconnects and lies, with
// replicas that are killed between commit and publish, and shows that without one of these rules updates are lost.
//
// The package knows no type of package mcp, of the protocol or of a transport.
package relay
