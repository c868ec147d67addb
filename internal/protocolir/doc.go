// Package protocolir makes the intermediate representation of the protocol from the schemas of all revisions. It makes
// every decision and computes every Go name, so that emitters only write down what they are given.
//
// [Protocol] is for the maintainers of mcpgen. It takes the schemas of all revisions, and two tables
// written by hand: exceptions to the rules and sentences for doc comments.
//
//   - merge*.go fold the definitions of all revisions into one set, newest revision first: its names and
//     shapes lead, and an older one that differs widens them by rule. Everything in the set knows the
//     revisions that have it. Unnamed objects, enums and unions get names on the way.
//   - protocol*.go turn the set into IR: presence of fields, groups of files, methods, docs. union.go
//     decides how a decoder tells the members of a union apart. names.go has the rules for Go names.
//
// A schema that cannot be merged is an error with its place. What had to stay untyped JSON, or has no
// sentence, is a warning.
package protocolir
