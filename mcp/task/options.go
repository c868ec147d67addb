package task

import "time"

// Options bounds the tasks of a server, and says where they are kept. The zero value means the defaults; a negative
// number is an error.
type Options struct {
	// Store holds the records. Nil means a [Memory] of the server: tasks end with the process.
	Store Store
	// TTL is how long a task lives from its creation on, whatever its state; 0 means an hour, and the least is a second.
	TTL time.Duration
	// MaxPerPrincipal limits the tasks of one subject in the store, including those that have ended, and MaxTotal the
	// tasks of all; 0 means 100 and 10,000. Callers without a subject count by their address over HTTP. At MaxTotal, a
	// task that has ended makes room: the oldest one of the subject that has most tasks.
	MaxPerPrincipal, MaxTotal int
	// MaxBytes limits the bytes of all records in the store in the same way; 0 means 256 MiB. One subject has at most a
	// quarter.
	MaxBytes int64
	// MaxRunning limits the tasks that this process runs at the same time; 0 means 64. One subject has at most half of
	// them, and at most four times what is still free. An eighth is reserved for subjects without running tasks. Further
	// tasks wait in the store.
	MaxRunning int
	// MaxResultBytes limits the result of a task, as JSON; 0 means 1 MiB. It can be at most 4 MiB. A larger one becomes an
	// error.
	MaxResultBytes int
	// PollInterval is how long clients are asked to wait before they ask again for the state of a task; 0 means a
	// second.
	PollInterval time.Duration
}
