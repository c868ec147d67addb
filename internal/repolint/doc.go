// Package repolint holds tests of the source of this module: doc comments, bodies of generated functions, words. The
// limits of sizes are in internal/measure.
package repolint
