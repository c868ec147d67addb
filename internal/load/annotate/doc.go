// Package annotate finds the directives in the comments of parsed files and attaches each to its declaration.
//
// Decls does it for one file; Check then applies the rules about several directives on one declaration, and ReadTexts
// reads the files that directives name. What is wrong is added to a diag.List; the directives that have a mistake are
// marked as bad. Types are not known here: Decl.Obj and Decl.Text are filled by package load.
package annotate
