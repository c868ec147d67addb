// Package load reads the user's Go packages: it finds the //mcp: directives,
// attaches each to its declaration, and type-checks what the declarations refer
// to.
//
// It is built for the moment at which a generator runs, which is when the code
// does not compile. Three rules follow.
//
// Our own previous output, mcp_gen.go, is never parsed, so that stale or corrupt
// output cannot block its repair. The names that it will declare are supplied by
// the caller as an in-memory stub (Config.Stub), computed from directives alone.
//
// Packages with directives, and packages on the way between two of them, are
// type-checked from source without function bodies, in dependency order. Export
// data is used for everything else, and only for imports that are mentioned
// outside function bodies: the go command never compiles the package that the
// user is editing.
//
// A type error is reported only if it lies in an annotated declaration or in
// something that such a declaration refers to. All others are the compiler's.
//
// The steps are methods of one loader, in the order in which Load names them. Package
// golist asks the go command, source reads files, annotate finds the directives in
// their comments; package load does what needs several packages, or types.
//
// Load returns everything it could find together with a diag.List. The error
// result is for trouble that is not a mistake in the source: no go command, no
// such directory, a stub that does not parse.
package load
