// Package live has values that live in the program and that clients read.
//
// A [Holder] has the value of one resource, and a [Store] those of a template, by their keys. A new value is encoded
// before it replaces the old one. If clients would see a difference, every server that serves the value is told,
// through feature.Publisher. Update calls a function of the program without a lock, and calls it again if the value has
// changed meanwhile.
//
// If a server has replicas, a signal of another replica makes [Loads] load the value again: on a goroutine of its own,
// once at a time for each value, and again later if it fails. [CheckLoads] finds values that could not be loaded.
package live
