// Package interop has tests only: clients of other projects use the example servers of golden over stdio and HTTP, and
// package validator validates every message of a server by the official schema of its revision.
//
// These tests need dependencies that users of mcp must not get (client libraries, a schema validator, npm). They are
// here so that the tests of the runtime import the standard library only.
package interop
