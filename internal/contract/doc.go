// Package contract holds the tests of the handshake between generated code and the packages that it calls: what older
// output is told by the compiler, and when the handshake must rise. CONTRIBUTING.md has the rule.
package contract
