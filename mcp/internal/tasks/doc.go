// Package tasks has the tasks of a server as clients know them: the extension io.modelcontextprotocol/tasks of
// 2026-07-28, and basic/utilities/tasks of 2025-11-25. Package taskrun keeps their records and runs their handlers,
// without the protocol.
//
// A call of a tool takes this way as a task:
//
//  1. The server gives each call of a tool to Tasks.Call (create.go), which leaves most of them to it.
//  2. Pipeline.Perform asks all that is asked before any call, and then creation.Run makes a record. The client gets
//     the id.
//  3. taskrun begins a run, here or in another replica, and calls Tasks.run (run.go). That makes the call of the
//     record through the same pipeline, for the same caller. taskCall takes its progress and its outcome.
//  4. taskrun writes the outcome to the record and calls Tasks.changed, which publishes the topic of the task here and
//     tells the other replicas.
//  5. Whoever follows the task is told of it: listens (listen.go) and sessions of 2025-11-25 (session.go). Both read
//     the head of the record before they write (notices.go), and check the rights of the client once more.
//  6. The client asks for the state or the result (methods.go). records.go makes both forms of what it gets.
//
// What a handler asks the client is kept in the record too, and the run ends. With the answers, from tasks/update or
// from a client of 2025-11-25 that is asked (ask.go), the task runs again.
package tasks
