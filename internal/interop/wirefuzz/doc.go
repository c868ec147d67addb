// Package wirefuzz holds the differential fuzz tests of mcp/wire. Their oracle is an independent strict JSON parser,
// which lives here and not in mcp/wire so that users of the runtime do not get it as a dependency.
package wirefuzz
