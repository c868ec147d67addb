// Package jobs tests tasks of real replicas: what one of them has made is known, run, asked about, answered, cancelled
// and told by the others, with each store, with a bus and without.
package jobs
