// Package counters counts what a server does, for the statistics that package stats describes.
//
// A request is counted twice. Each worker has a [Shard] of the [Counters] of its server: it adds to Running while the
// request is handled, and calls [Shard.End] with the [Method] and the [Code] of the response. Methods and codes are
// numbers that are fixed in advance, so that clients cannot add counters. [Counters.CountOwn] adds the methods of
// extensions before the first request.
//
// Rarer events have atomic counters in Counters itself, which the code that sees them increments. [Counters.AddTo] adds
// all of it to a snapshot, and calls the sources that transports have added for what only they know.
package counters
