// Package check compares directives with the table of package directive. It fills their Spec and reports what is wrong:
// names, places, options and values, and arguments that are written as in some other language.
//
// The rules are methods of one checker for each directive; each rule looks at the arguments from one index on and says
// how many it has dealt with. Nothing stops at the first mistake.
package check
