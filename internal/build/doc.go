// Package build makes the intermediate representation of package ir. It makes every decision and
// computes every Go name, so that emitters only write down what they are given. It has two halves,
// which share nothing but that purpose.
//
// # From schemas to the protocol
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
//
// # From annotations to a server
//
// [Features] is for users. It takes one package as package load has read it: declarations, their
// directives already checked against the table of package directive, and types. It goes over the
// declarations several times, because what belongs to a resource refers to it by name:
//
//   - the server directive and the defaults of the package (feature_server.go);
//   - resources (feature_resource.go), their variables (feature_var.go), signatures (feature_func.go) and
//     refining directives (feature_refine.go); templates are parsed, compared for ambiguity and laid out as a
//     decision tree by uri_*.go;
//   - what refers to resources: lists, watchers, completers (feature_list.go);
//   - tools (feature_tool.go): how encoding/json treats their arguments (feature_shape.go,
//     feature_field.go), the decoders (feature_args.go) and the schema (feature_schema.go, inputschema);
//   - what needs all of them: capabilities, the router, clashes of names (feature_finish.go).
//
// The user's mistakes are diagnostics, all of them in one run; feature_lost.go keeps one mistake from
// being reported again as its consequences. [Stub] predicts the exported names of the output from the
// directives alone, because the package that mentions them is read before they exist.
package build
