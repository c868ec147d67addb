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
//   - A peer that is silent for 15 seconds is lost. It may have committed a change and ended before it could publish
//     it: who misses it resyncs, once.
//   - Beats say how long ago each peer was heard. Who has lost a peer that others have heard since resyncs again every
//     15 seconds, until they have not heard it for so long: it may go on to commit what only they are told.
//   - A replica that does not hear its own beats cannot say who is silent: it loses nobody, and resyncs when it hears
//     again. If that takes 30 seconds (MaxBlind), it is blind: [Receiver].Blind ends its streams, so that their clients
//     go elsewhere, and [Relay.Fenced] refuses new ones until it hears itself again.
//   - A replica is ready once it has heard itself and every peer that it knows has said that it hears this replica:
//     what it commits from then on and cannot publish, these find out about. It is unready while most of them have not
//     heard it for a beat and a half, which is before they lose it.
//
// # Replicas that nobody hears
//
// A replica that is cut off may go on to commit, for as long as it likes, and so may one that has never reached the
// broker. If it comes back, its epoch or a gap tells. If it ends before, only its successor is ever heard, whose first
// frame is complete. So each replica counts places. One that ends leaves a place, and one that starts takes one:
//
//   - A bye that was heard leaves a good place, for 15 seconds: all that its replica has done was heard before, or a
//     gap was. Who takes it has nothing to prove.
//   - A peer that is lost leaves a bad place, for an hour, or until it is heard again. The next one that starts may be
//     its successor: it takes the bad place, and a good one too if there is one, and the others resync at once.
//   - One that starts while there is no place may have a predecessor that was never heard, or has none: it owes a
//     resync. A bye that comes within 15 seconds pays it, because then the old one has ended after the new one began.
//     So does any resync, because the predecessor has ended before. Otherwise it is due after 15 seconds, when one
//     that was killed shortly before is missed too: both together are one resync.
//
// Why no change is lost: let X commit what it does not announce, and end. If X was heard, then it was lost, and its
// place is bad until somebody starts; if it was never heard, it leaves no place. All that start after X take, one by
// one, the places of those that have said bye. These are one less than all that have ended, so one of those that start
// finds a bad place or none, and that is a resync after the end of X. Two things are assumed: that X has a successor,
// as all who end have, and that no good place is left over, which a replica leaves that ends within 15 seconds and is
// not replaced. If X has no successor, what it committed after all have lost it is not announced; /readyz keeps such
// requests away from it.
//
// Who is heard, who is lost and who takes which place is decided by type peers, in peers.go and places.go, which takes
// no lock and sends nothing. The other files say what a replica does then, and when it does not hear itself.
//
// The price: a rolling restart costs each stream one resync at most, in which the first one that starts before an old
// one ends has no place. A replica that is killed costs one, or two if its successor comes after the others have missed
// it.
//
// # Replicas that do not understand each other
//
// A replica is apart if most of the peers that it hears do not list it, or if it hears none and gets frames with a key
// that it has not. Its own beats tell it nothing then: it does not get ready, and after MaxBlind it is blind. Those
// that understand each other do not notice. Of two that do not, the first one stays ready, because the other is quiet
// most of the time once it has been apart from its start on; only beats that are less than 10 seconds old make apart.
// Clocks and ages are in the beats. A replica whose clock is more than maxSkew from that of most is not ready, and of
// two halves the one without the eldest. Neither changes whom anybody hears.
//
// Beats list all peers up to maxListed; of more they list some, each time others, and those that are not ready. So the
// bytes that one replica receives grow with the number of the others, and not with its square.
//
// A checker (checker_test.go) runs this against a bus that drops, repeats, reorders, disconnects and lies, with
// replicas that are killed between commit and publish, and shows that without one of these rules updates are lost.
//
// The package knows no type of package mcp, of the protocol or of a transport.
package relay
