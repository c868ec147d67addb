// Package desk makes and ends webhook subscriptions for clients. It delivers nothing, and any replica may do it. The
// way of a subscription:
//
//  1. [Desk.Subscribe] reads the secret of the request and checks the URL. The id comes from the principal, the URL,
//     the name and the arguments, so a client that asks again finds what there is (subscribe.go).
//  2. The callback is verified: it repeats a random text, unless it did so not long ago, the operator trusts it, or a
//     document of its origin names it (challenge.go, receivers.go). Challenges are limited by principal and by host.
//  3. The subscription gets its end and its secret, which package keys seals, and goes into the store. If another
//     change comes before it, the desk begins again with what there is then.
//  4. [Options.Changed] tells package deliver, which sends events from then on.
//
// [Desk.Unsubscribe], [Desk.End] and [Desk.Erase] leave a record that has ended, so that all replicas see the end.
package desk
