// Package taskrun keeps the tasks of a server: it creates their records in a [task.Store], runs their handlers under
// leases, wakes those who wait for a change, and removes expired tasks. It knows nothing of the protocol, of sessions
// or of handlers; package tasks gives it a function that runs a handler.
//
// A task is run by the [Engine] that owns it. An engine owns what it has created or claimed, and renews the lease of
// each record while its handler runs. It writes a record by a swap, which fails if the task has another owner or has
// ended: then the context of the handler ends. No lock is held while a store or a handler runs.
package taskrun
