package task

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Status is the state of a task, in the words of the protocol.
type Status string

// The states of a task. Working and InputRequired alternate; the others are final.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Final reports whether s never changes again.
func (s Status) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// Record is what a server keeps about a task. A [Store] looks at ID, Principal, Status, LeaseUntil, Expires and
// Version, for which it has indexes; it keeps the whole record as the bytes of [Record.Encode], and Version
// beside them. Times are in UTC, in whole milliseconds.
type Record struct {
	// ID is the id of the task: 1 to [MaxID] upper-case letters and digits. Ids in the order of bytes are in the order
	// of creation, as far as the clocks of replicas agree.
	ID string
	// Principal says whose task it is: 1 to [MaxPrincipal] characters of base64url, which are a digest.
	Principal string
	// Status is the state of the task.
	Status Status
	// LeaseUntil is when the task becomes claimable: the end of the lease of its owner, or an earlier time if it has
	// none. It has no meaning unless Status is Working.
	LeaseUntil time.Time
	// Expires is when the task is forgotten, whatever its state.
	Expires time.Time
	// Version is set by the store. It is 0 before Create, and not part of Encode.
	Version uint64 `json:"-"`

	// Owner is the replica that has the task now or had it last, and Fence the number of owners so far.
	Owner string
	Fence uint64

	// Created is when the task was created, and Updated when anything that clients see has changed last.
	Created, Updated time.Time
	// Message is the status message, for users and models.
	Message string

	// Revision is the revision of the protocol of the request that has created the task.
	Revision string
	// Tool is the name of the tool, Args are its arguments, and Meta the _meta of the request, if it had one. Both are
	// nil once the task has ended.
	Tool string
	Args json.RawMessage `json:",omitempty"`
	Meta json.RawMessage `json:",omitempty"`
	// Subject, Scopes and Roles are the caller on whose behalf the tool runs.
	Subject       string
	Scopes, Roles []string

	// Restart says that the handler may run again after it was interrupted.
	Restart bool
	// Begun says that the handler may have begun, and Runs how often a run of it was interrupted.
	Begun bool
	Runs  int
	// Checkpoint is what the handler has kept for its next run.
	Checkpoint []byte
	// Asked are the questions that the client has not answered, and Answers those that it has: objects by key.
	Asked   json.RawMessage `json:",omitempty"`
	Answers json.RawMessage `json:",omitempty"`

	// Result is the result of the tool call as an object of the newest revision, and IsError repeats its isError; Error
	// is a JSON-RPC error object. A task that is completed or failed has one of both.
	Result  json.RawMessage `json:",omitempty"`
	IsError bool
	Error   json.RawMessage `json:",omitempty"`
}

// Expired reports whether r is to be forgotten at now.
func (r *Record) Expired(now time.Time) bool { return !now.Before(r.Expires) }

// Claimable reports whether [Store.Claim] may return r at now: it is working, no lease holds, and it has not expired.
func (r *Record) Claimable(now time.Time) bool {
	return r.Status == Working && !now.Before(r.LeaseUntil) && !r.Expired(now)
}

// Lease makes owner the owner of r until a time.
func (r *Record) Lease(owner string, until time.Time) {
	r.Owner, r.LeaseUntil = owner, Time(until)
	r.Fence++
}

// Time returns t as records have it: in UTC, without the monotonic clock, in whole milliseconds.
func Time(t time.Time) time.Time { return t.Round(0).UTC().Truncate(time.Millisecond) }

// Encode returns r as bytes for a [Store]. They have everything but Version.
func (r *Record) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // else a result could become six times as large
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Decode reads what [Record.Encode] has returned. It sets everything but Version.
func (r *Record) Decode(b []byte) error {
	version := r.Version
	*r = Record{}
	err := json.Unmarshal(b, r)
	r.Version = version
	if err != nil {
		return fmt.Errorf("task: %w", err)
	}
	return nil
}
