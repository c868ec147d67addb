// Package fair has the rule by which clients share what a server has a limited amount of.
package fair

// Newcomers says how much of a limited resource is reserved for clients that have nothing of it: 1/Newcomers.
const Newcomers = 16

// Scarce reports whether a client has too large a share of a resource: own, including this request, is more than four
// times what others may still get, which is left-reserved. left is what was free before this request; reserved is the
// part for clients that have nothing yet. With this rule two greedy clients leave more than a tenth for others.
func Scarce(own, left, reserved int64) bool { return own > 4*(left-reserved) }
