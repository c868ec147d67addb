// Package counters counts what a server does, for the statistics that package stats describes.
//
// A request is counted twice. Each worker has a [Shard] of the [Counters] of its server: it adds to Running while the
// request is handled, and calls [Shard.End] with the [Method] and the [Code] of the response. Methods and codes are
// numbers that the program knows beforehand, so that clients cannot make counters more. [Counters.CountOwn] adds the
// methods of extensions before the first request.
//
// What is rarer has atomic counters in Counters itself, which whoever sees it adds to. [Counters.AddTo] adds all of it
// to a snapshot, and calls the sources that transports have added for what only they know.
package counters
