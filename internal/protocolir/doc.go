// Package protocolir makes the intermediate representation of the protocol from the schemas of all revisions. It makes
// every decision and computes every Go name, so that emitters only write down what they are given.
//
// [Protocol] is for the maintainers of mcpgen. It takes the schemas of all revisions, and two tables
// written by hand: exceptions to the rules and sentences for doc comments. [Extension] does the same for an extension.
//
// The way goes through the folders:
//
//   - extension joins each version of an extension with the core, so that the rest sees schemas of one kind.
//   - revision tells what one schema says, and merge folds all of them into a set (package merged).
//   - This package turns the set into IR: Go names, presence of fields, groups of files, methods. Package union decides
//     how a decoder tells the members of a union apart, and package comment writes doc comments.
//   - record compares the result with what was given before.
//
// A schema that cannot be merged is an error with its place. What had to stay untyped JSON, or has no
// sentence, is a warning.
package protocolir
