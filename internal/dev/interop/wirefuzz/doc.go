// Package wirefuzz has the differential fuzz tests of mcp/wire. They compare it with an independent strict JSON parser,
// which is here and not in mcp/wire so that users of the runtime do not get it as a dependency.
package wirefuzz
