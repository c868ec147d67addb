// Package fair has the rule by which clients share what a server has a limited amount of.
package fair

// Newcomers says how much of a limited resource is reserved for clients that have nothing of it: 1/Newcomers.
const Newcomers = 16

// Scarce reports whether a client has too large a share of a resource: used is what the client has with this request,
// free is what was free before the request, and reserved is the part for clients that have nothing yet. The share is
// too large if used is more than four times free-reserved, which is what others may still get. With this rule two
// greedy clients leave more than a tenth for others.
func Scarce(used, free, reserved int64) bool { return used > 4*(free-reserved) }
