// Package server answers the requests of clients from the features of a program. Package session reads and writes the
// messages; handler here implements session.Handler. It joins servers (join.go, joined.go), adds tools at run time
// (dynamic.go), switches features on and off (enable.go), and publishes changes (updates.go, replicas.go). Package mcp
// exports what users need, and package mcprt what generated code needs.
//
// A call of a tool takes this way on stdio, from the bytes to the method of the program and back:
//
//  1. stdio reads a line. The leader of package session is on the goroutine whose turn it is to read.
//  2. wire.ParseMessage splits the message into id, method and params.
//  3. session.Worker finds its era and revision, and refuses what comes at the wrong time.
//  4. handler.Request calls protocol.Dispatch, which decodes the params and calls handler.CallTool (tools.go). A call
//     that becomes a task goes to package tasks from there.
//  5. Perform of package pipeline asks access rules, policies and limits, and runs the operation.
//  6. The operation calls the function of the table in mcp_gen.go, which decodes the arguments and calls the method.
//  7. session.Worker gives the response to the connection, whose outbox writes it.
//
// Over HTTP it begins with session.Host.Exchange for a request of 2026-07-28, and with session.Session.Handle for one
// of an older revision. Subscriptions are in package subscribe, and the way of an update is in the comment of package
// pubsub.
package server
