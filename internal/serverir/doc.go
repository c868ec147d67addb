// Package serverir makes the intermediate representation of servers from annotated packages. It makes every decision
// and computes every Go name, so that emitters only write down what they are given.
//
// [Features] is for users. It takes one package as package load has read it: declarations, their
// directives already checked against the table of package directive, and types. It goes over the
// declarations several times, because what belongs to a resource refers to it by name:
//
//   - the server directive and the defaults of the package (server.go);
//   - resources (resource.go), their variables (var.go), signatures (func.go) and
//     refining directives (refine.go); templates are parsed, compared for ambiguity and laid out as a
//     decision tree by uri_route.go;
//   - what refers to resources: lists, watchers, completers (list.go);
//   - tools (tool.go): how encoding/json treats their arguments (shape.go,
//     field.go), the decoders (args.go) and the schema (schema.go, package jsonschema);
//   - what needs all of them: capabilities, the router, clashes of names (finish.go).
//
// The user's mistakes are diagnostics, all of them in one run; unparsed.go keeps one mistake from
// being reported again as its consequences. [Stub] predicts the exported names of the output from the
// directives alone, because the package that mentions them is read before they exist.
package serverir
