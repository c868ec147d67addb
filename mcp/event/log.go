package event

import (
	"context"
	"errors"
	"time"
)

// Sizes that every log must allow and no server exceeds, in bytes.
const (
	MaxName = 128       // of the name of an event
	MaxID   = 256       // of Entry.ID
	MaxData = 256 << 10 // of Entry.Data
)

// ErrDuplicate means that the log still holds an entry with this id. It is no failure: the event is in the log.
var ErrDuplicate = errors.New("event: the log has an event with this id")

// ErrRefused means that the log takes this entry neither now nor later.
var ErrRefused = errors.New("event: the log refuses the event")

// Entry is something that has happened, as a log holds it.
type Entry struct {
	// Seq is the place in the log of one event name: greater than those of all entries before. Append sets it.
	Seq uint64
	// ID identifies the occurrence: 1 to MaxID visible ASCII characters without a dot.
	ID string
	// Time is when the event happened, as the program says.
	Time time.Time
	// Kept is when the entry was appended, by the clock of the process that did. The caller of Append sets it, and Append
	// does not change it. Retention.For counts from here.
	Kept time.Time
	// Data is the payload, a JSON object.
	Data []byte
	// Cause is a hash of the principal whose request has caused the event; "" for none.
	Cause string
}

// Retention is how long a log holds the entries of a name: at least those that are not older than For and are among the
// last Most. Zero values mean 10 minutes and 10,000.
type Retention struct {
	For  time.Duration
	Most int
}

// WithDefaults returns r without zero values.
func (r Retention) WithDefaults() Retention {
	if r.For <= 0 {
		r.For = 10 * time.Minute
	}
	if r.Most <= 0 {
		r.Most = 10_000
	}
	return r
}

// Page is a part of a log.
type Page struct {
	// Epoch is the life of the log: places of different epochs have nothing to do with each other. A log that has lost its
	// entries begins a new epoch. An epoch has 1 to 64 characters.
	Epoch string
	// First is the place of the oldest entry that is held, and Last that of the newest. A log that holds nothing has a
	// First that is one greater than Last. Last never decreases within an epoch.
	First, Last uint64
	// Entries are the entries behind the place that Read was given, in order.
	Entries []Entry
}

// Log holds entries, one sequence for each name of an event. The replicas of one server share a log. All methods are
// safe for concurrent use, and return soon after ctx has ended. An error other than [ErrDuplicate] and [ErrRefused]
// means that the log is not available; it is not known then whether an append was made.
type Log interface {
	// Append adds e behind all entries of that name, and sets e.Seq. It returns once the entry is as durable as the log
	// can make it. If the log still holds an entry with the same id, it adds nothing, sets e.Seq to the place of that
	// entry, and returns ErrDuplicate. It may remove entries that the Retention does not cover. The log holds on to
	// e.Data, which the caller must not change afterwards.
	Append(ctx context.Context, name string, e *Entry, keep Retention) error
	// Read returns the entries of a name behind place: at most limit of them, and about a megabyte of data. It returns at
	// least one entry if there is one and limit is not 0. The entries must not be changed. First and Last are read no
	// later than the entries: Last never counts an entry that was appended after the entries were read.
	Read(ctx context.Context, name string, place uint64, limit int) (Page, error)
	// Lasting reports whether entries survive the end of the process. Other processes see the entries of a lasting log.
	Lasting() bool
}
