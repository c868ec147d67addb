// Package task has the records of tasks, which are tool calls that go on after their request was answered (extension
// io.modelcontextprotocol/tasks of 2026-07-28, and basic/utilities/tasks of 2025-11-25). A [Store] holds their records,
// and [Options] bounds them. [Memory] is the default store. A tool becomes a task by the option task of //mcp:tool; see
// docs/tasks.md.
//
// # Ownership
//
// Replicas of a server share one Store, and each of them answers requests about any task. The handler of a task runs on
// one replica, its owner, which changes the record at least every 10 seconds. If another replica sees with its own
// clock that a record has not changed for the time of a lease, the owner counts as dead, and [Store.Claim] gives the
// task to another owner. No two clocks are compared. Every change of a record is a [Store.Swap] of the version that was
// read, so an owner that was paused beyond its lease cannot overwrite what its successor has written. [Head.Fence]
// counts the owners.
//
// Adapters implement Store; package taskstoretest below this one tests them.
package task
