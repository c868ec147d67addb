// Package conformance has tests only: the official conformance suite, from npm and with a Node.js of its own, checks
// golden/everything. Both required sets, of 2025-11-25 and of 2026-07-28, run against one process at one URL.
//
// docs/conformance.md is the report of all scenarios. This command writes it again:
//
//	go test ./internal/dev/interop/conformance -update
package conformance
