// Package taskrun keeps the tasks of a server: it creates their records in a [task.Store], runs their handlers under
// leases, gives each change to those who wait for it, and removes what has expired. It knows nothing of the protocol,
// of sessions or of handlers; package tasks gives it a function that runs a handler.
//
// A task is run by the [Engine] that owns it. An engine owns what it has created or claimed, and renews the lease of
// each record while its handler runs. Every write of an owner is a swap that fails if there is another owner, or if the
// task has ended: then the context of the handler ends. No lock is held while a store or a handler runs.
package taskrun
