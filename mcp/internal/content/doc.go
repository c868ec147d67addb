// Package content has what handlers return, before it is known which request it answers: the [Contents] of a resource,
// the blocks of a [ToolResult], the messages of a [PromptResult], and errors with what clients may know of them.
//
// Generated code calls the adapters: AsText, AsStructured, AsMessage and the like take the results of a method and
// return one of these types, and [Arguments] decodes what a tool got. The server takes contents apart by [ValueOf].
//
// What becomes of an error: a handler returns it, wrapped or not. [PublicText] finds the parts that are meant for
// clients: those that [Public] has marked, [ArgumentsError], [uri.VarError] and errors of the protocol. The server
// sends their texts; for an error without such parts it sends a reference to its log.
package content
