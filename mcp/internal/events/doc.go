// Package events serves what has happened: it appends events to an [event.Log], and reads from there what each
// subscriber may have, for polls, for streams and for [event.Webhooks].
//
// A subscriber has a position in the log of one event name, and nothing else: no queue grows while it is slow or away.
// An append wakes the waiting subscribers, here and, through a bus, in other processes; they then read the log. The
// newest entries are kept in memory, decoded once for all subscribers.
//
// The package knows nothing of servers. Package mcpevent is what a server calls.
package events
