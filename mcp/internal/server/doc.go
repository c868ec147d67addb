// Package server is the server of the runtime: features, connections and sessions, calls, lists, subscriptions, access
// and limits. Package mcp exports what users need, and package mcprt what generated code needs.
//
// A call of a tool takes this way on stdio, from the bytes to the method of the program:
//
//  1. stdio reads a line. leader.step (leader.go) is on the goroutine whose turn it is to read.
//  2. wire.ParseMessage splits the message into id, method and params.
//  3. worker.handle and worker.request (worker.go) find its era and revision, and refuse what comes at the wrong time.
//  4. worker.dispatch calls protocol.Dispatch, which decodes the params and calls handler.CallTool (tools.go).
//  5. worker.perform (pipeline.go) asks access rules, policies and limits, and runs the operation.
//  6. The operation calls the function of the table in mcp_gen.go, which decodes the arguments and calls the method.
//  7. worker.finish gives the response to connection.Respond, and the outbox of the connection writes it.
//
// Over HTTP it begins in exchange.go for a request of 2026-07-28, and in session.go for one of an older revision. The
// way of an update is in the comment of package pubsub.
package server
