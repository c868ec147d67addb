// Package interop holds no code but tests: clients that others have written drive the example servers of golden/
// over stdio and HTTP, and validator checks every message of a server against the official schema of its revision.
//
// These tests need parts that a user of mcp must not inherit (client libraries, a schema validator, npm). They live
// here so that the tests beside the runtime import nothing but the standard library.
package interop
