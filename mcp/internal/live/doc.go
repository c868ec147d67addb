// Package live has values that live in the program and that clients read.
//
// A [Holder] has the value of one resource, and a [Store] those of a template, by their keys. Each change is encoded
// before it is made; if clients would see a difference, every server that serves the value is told, as a
// feature.Publisher. Update calls a function of the program without a lock, and again if the value has changed
// meanwhile.
//
// Where a server has replicas, a signal of another one makes [Loads] load the value again, off the goroutine of the
// bus, each value once at a time, and again later if that fails. [CheckLoads] finds values that could not be loaded.
package live
