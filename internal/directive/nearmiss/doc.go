// Package nearmiss finds comments that were probably meant as directives and that Go, or package directive, does not
// take for one: a space behind the slashes, another prefix, an upper-case letter, a name that does not exist.
//
// Prose that only speaks of directives is left alone. How much of what follows could be the arguments of a directive
// decides, see fit.
package nearmiss
