// Package egress posts to URLs that strangers choose, and cannot be turned against the network that it stands in.
//
// The way of a request:
//
//  1. url.go: the URL is https and has no credentials, no fragment and no address that addresses.go refuses.
//  2. dial.go: the name is resolved for each new connection. Every address of the answer must be public, or nothing is
//     connected; then the connection goes to one of these addresses and to no other, with the original Host and SNI. So
//     a name that points elsewhere after its challenge is refused when it is dialled.
//  3. client.go: no redirect is followed, no proxy of the environment is used, and bytes and time of an answer are
//     bounded.
//
// If the operator sets an egress proxy, the proxy resolves names and connects, so it must do step 2.
package egress
