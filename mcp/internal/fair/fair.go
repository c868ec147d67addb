// Package fair has the rule by which clients share what a server has a limited amount of.
package fair

// Newcomers is the part of a thing that is for clients that have nothing of it: one of as many.
const Newcomers = 16

// Scarce reports whether so little of a thing is left that a client may not have own of it, together with what it asks
// for: more than four times what is left before that. What is reserved for clients that have nothing does not count as
// left. So two clients that take all that they can leave more than a tenth for others.
func Scarce(own, left, reserved int64) bool { return own > 4*(left-reserved) }
