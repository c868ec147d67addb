// Package contract tests the handshake between generated code and the packages that it calls: which error of the
// compiler older output gets, and when the number must be raised. CONTRIBUTING.md has the rule.
package contract
