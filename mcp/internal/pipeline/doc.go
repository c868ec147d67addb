// Package pipeline has the sequence of steps that all uses of features have in common: the call of a tool, the read of
// a resource, the get of a prompt, a completion, a method of an extension, the creation of a task. Each use is an
// [Operation]; [Pipeline.Perform] runs it for the request at hand of a [session.Worker]:
//
//  1. The scopes of the caller are compared with those of the [access.Guard] (access.go).
//  2. The call begins (begin), and policies are asked (AskPolicies).
//  3. What is wrong with the request is reported, to those only who may know of the feature.
//  4. The answers that the client has given so far are opened (call.Call.Resume).
//  5. The limits count the call (within), and the middleware runs around [call.Operation.Run].
//  6. If the handler has asked the client something, that is the response (call.Call.Outcome); else Conclude makes the
//     result or the error.
//
// Completers skip 4, 6 and the limits. tool.go has what calls of tools share, also as tasks; large.go takes large
// values out of a result, to be encoded while it is written; middleware.go checks what middleware returns.
package pipeline
