// Package events serves what has happened: it appends events to an [event.Log], and reads from there what each
// subscriber may have, for polls, for streams and for [event.Webhooks].
//
// A subscriber has a position in the log of one event name, and nothing else: no queue grows while it is slow or away.
// Whoever appends wakes those who wait, here and, through a bus, in other processes; what they then get is in the log.
// The newest entries are kept in memory, decoded once for all subscribers.
//
// The package knows nothing of servers. Package mcpevent is what a server calls.
package events
