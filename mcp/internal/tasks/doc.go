// Package tasks has the tasks of a server as clients know them: the extension io.modelcontextprotocol/tasks of
// 2026-07-28, and basic/utilities/tasks of 2025-11-25. Package taskrun keeps their records and runs their handlers,
// without the protocol.
//
// The way of a tool call that becomes a task:
//
//  1. The server gives each tool call to Tasks.Call (create.go). For a call that does not become a task, Call does
//     nothing, and the server runs the handler at once.
//  2. Pipeline.Perform checks access and limits as for every call, and then creation.Run makes a record. The client
//     gets the id.
//  3. taskrun begins a run, here or in another replica, and calls Tasks.run (run.go). It calls the tool through the
//     same pipeline, for the caller in the record. taskCall takes the progress and the outcome.
//  4. taskrun writes the outcome to the record and calls Tasks.changed, which publishes the topic of the task here and
//     tells the other replicas.
//  5. Listens (listen.go) and sessions of 2025-11-25 (session.go) that follow the task are told. Before they write,
//     they read the head of the record (notices.go) and check the rights of the client once more.
//  6. The client asks for the state or the result (methods.go). records.go makes both forms of the response.
//
// The questions of a handler are kept in the record too, and the run ends. The answers come by tasks/update, or from a
// client of 2025-11-25 that was asked (ask.go); then the task runs again.
package tasks
