// Package repolint holds a test: it measures the source of this module against the limits of the
// house style that no linter knows.
package repolint
