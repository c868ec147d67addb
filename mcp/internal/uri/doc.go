// Package uri takes the variables out of the URI of a resource and decodes them.
//
// The way of a URI, in the router that generated code has for its templates:
//
//  1. [Vars.Reset] forgets the last URI, and Split of the embedded [wire.Path] cuts the new one at its slashes.
//  2. The router compares literal segments, and calls [Vars.Take], TakeParts, TakeSpan or TakeParams for variables.
//     They keep the text as it is in the URI, percent-encoded.
//  3. The function of the template decodes each variable once, by [Vars.Text], [Int], [Of] and the like. After the
//     first wrong value [Vars.Err] returns a [VarError], which the client gets.
//
// Arguments of prompts are variables too, in plain text: see [Vars.ResetPlain].
package uri
