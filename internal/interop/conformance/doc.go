// Package conformance holds no code but tests: the official conformance suite, from npm and with a Node.js of its own,
// validates golden/everything. Both required sets, of 2025-11-25 and of 2026-07-28, run against one process at one URL.
//
// docs/conformance.md is the report of all scenarios of the suite; write it again with
//
//	go test ./internal/interop/conformance -update
package conformance
