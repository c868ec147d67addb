// Package serverir makes the intermediate representation of servers from annotated packages. It makes every decision
// and computes every Go name, so that emitters only write down what they are given.
//
// [Features] is for users. It takes one package as package load has read it: declarations, their
// directives already checked against the table of package directive, and types. A package is cut into its servers
// (servers.go), and each of them is built kind by kind: the table kinds in features.go has one row for each. The kinds
// go over the declarations in passes, because what belongs to a feature refers to it by name.
//
// The packages below, from top to bottom:
//
//   - resource, prompt, completion, app, skill, tool, event and extension build what their directives declare;
//     resource/binding gives variables to parameters and fields, resource/structs reads annotated structs,
//     resource/route makes the decision tree over templates, and form makes the forms that users fill in;
//   - feature is what kinds have in common: the passes, icons, availability, access rules, and which server has what;
//   - lint gives advice, names has the names of generated declarations and reports those that are needed twice, impl
//     makes the Impl struct, and variable reads variables and arguments;
//   - codec makes decoders, encoders and schemas from the one description of Go types as JSON, which is jsontype;
//     jsoncheck reports what that cannot hold, tagrule reads tags, and jsonschema writes schemas;
//   - gotype writes Go types, report tells users what is wrong, and source says where it stands.
//
// The user's mistakes are diagnostics, all of them in one run; unparsed.go keeps one mistake from
// being reported again as its consequences. [Stub] predicts the exported names of the output from the
// directives alone, because the package that mentions them is read before they exist.
package serverir
