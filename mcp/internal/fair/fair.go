// Package fair has the rule by which clients share what a server has a limited amount of.
package fair

// Newcomers is the part of a thing that is for clients that have nothing of it: one of as many.
const Newcomers = 16

// Scarce reports whether a client has too large a share of a thing: own, including what it asks for now, is more than
// four times what others may still get, which is left-reserved. left is what was free before this request; reserved of
// it is kept for clients that have nothing yet. With this rule two greedy clients leave more than a tenth for others.
func Scarce(own, left, reserved int64) bool { return own > 4*(left-reserved) }
