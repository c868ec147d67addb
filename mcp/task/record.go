package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// Record is what a server keeps about a task. A [Store] keeps it as the bytes of [Record.Encode]. Times are in UTC, in
// whole milliseconds.
type Record struct {
	Head
	Body
}

// Head is the part of a record that is enough to list a task, to describe one that has not ended, to check access, and
// to claim it. A [Store] looks at ID, Principal, Status, Owner, LeaseUntil, Expires and Version, and should have
// indexes for them.
type Head struct {
	// ID is the id of the task: 1 to [MaxID] upper-case letters and digits. Ids that are sorted by bytes are in the order
	// of creation, as far as the clocks of replicas agree.
	ID string
	// Principal says whose task it is: 1 to [MaxPrincipal] characters of base64url, which are a digest.
	Principal string
	// Status is the state of the task.
	Status Status
	// LeaseUntil is the time from which a task without an owner may be claimed. For a task with an owner it is the end of
	// the lease, by the clock of the owner; only older releases look at that. It has no meaning unless Status is Working.
	LeaseUntil time.Time
	// Expires is when the task is forgotten, whatever its state.
	Expires time.Time
	// Version and Size are set by the store, and not part of Encode. Version is 0 before Create. Size is what the record
	// counts for, by [SizeOf].
	Version uint64 `json:"-"`
	Size    int64  `json:"-"`

	// Owner is the replica that has the task, "" if none has. Fence is the number of owners so far.
	Owner string
	Fence uint64

	// Created is when the task was created, and Updated when anything that clients see has changed last. Changes counts
	// these changes.
	Created, Updated time.Time
	Changes          uint64 `json:",omitempty"`
	// Message is the status message, for users and models.
	Message string

	// Revision is the revision of the protocol of the request that has created the task.
	Revision string
	// Tool is the name of the tool.
	Tool string
	// Subject, Scopes and Roles are the caller on whose behalf the tool runs.
	Subject       string
	Scopes, Roles []string

	// Restart says that the handler may run again after it was interrupted.
	Restart bool
	// Begun says that the handler may have begun, and Runs how often a run of it was interrupted.
	Begun bool
	Runs  int
	// IsError repeats isError of the result.
	IsError bool
}

// Body is the part of a record that only the handler of a task needs, and clients that ask for its outcome or its
// questions.
type Body struct {
	// Args are the arguments of the tool, and Meta is the _meta of the request, if it had one. Both are nil once the task
	// has ended.
	Args json.RawMessage `json:",omitempty"`
	Meta json.RawMessage `json:",omitempty"`
	// Checkpoint is what the handler has kept for its next run.
	Checkpoint []byte
	// Asked are the questions that the client has not answered, and Answers those that it has: objects by key.
	Asked   json.RawMessage `json:",omitempty"`
	Answers json.RawMessage `json:",omitempty"`
	// Result is the result of the tool call as an object of the newest revision; Error is a JSON-RPC error object. A task
	// that is completed or failed has one of them.
	Result json.RawMessage `json:",omitempty"`
	Error  json.RawMessage `json:",omitempty"`
}

// Expired reports whether the task is to be forgotten: whether Expires is not after now.
func (h *Head) Expired(now time.Time) bool { return !now.Before(h.Expires) }

// Claimable reports whether [Store.Claim] may take the task. It must be working, and must not have expired. Besides,
// either it has no owner and LeaseUntil is not after now, or its version is at most upTo, which is Claim.Still,
// whatever its owner.
func (h *Head) Claimable(now time.Time, upTo uint64) bool {
	return h.Status == Working && !h.Expired(now) && (h.Version <= upTo || h.Owner == "" && !now.Before(h.LeaseUntil))
}

// Lease makes owner the owner of the task, and adds 1 to its fence. until is the end of the lease by the clock of the
// owner.
func (h *Head) Lease(owner string, until time.Time) {
	h.Owner, h.LeaseUntil = owner, Time(until)
	h.Fence++
}

// Release leaves the task without an owner. earliest is the first time at which it may be claimed.
func (h *Head) Release(earliest time.Time) { h.Owner, h.LeaseUntil = "", Time(earliest) }

// Touch notes that something that clients see has changed at the time t: it sets Updated and adds 1 to Changes.
func (h *Head) Touch(t time.Time) {
	h.Updated = Time(t)
	h.Changes++
}

// Time returns t as records have it: in UTC, without the monotonic clock, in whole milliseconds.
func Time(t time.Time) time.Time { return t.Round(0).UTC().Truncate(time.Millisecond) }

// maxWithHead is the most bytes of a body that are kept with the head.
const maxWithHead = 16 << 10

// Encode returns r as two texts for a [Store]. The first one has the head, and can be read alone. The second one has
// the body. A small body is in the first text instead, and the second one is nil. Version and Size are in neither. The
// error is ErrFull if both texts together have more than [MaxRecord] bytes.
func (r *Record) Encode() (head, body []byte, err error) {
	switch {
	case r.ID == "" || len(r.ID) > MaxID || strings.Trim(r.ID, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "":
		return nil, nil, errors.New("task: the id of the record is not valid")
	case r.Principal == "" || len(r.Principal) > MaxPrincipal || strings.ContainsFunc(r.Principal, notBase64URL):
		return nil, nil, errors.New("task: the principal of the record is not valid")
	}
	if r.bytes() <= maxWithHead {
		head, err = encode(r)
	} else if head, err = encodeApart(&r.Head); err == nil {
		body, err = r.encode()
	}
	if n := len(head) + len(body); err == nil && n > MaxRecord {
		return nil, nil, fmt.Errorf("%w: the record has %d bytes, and may have %d", ErrFull, n, MaxRecord)
	}
	return head, body, err
}

func notBase64URL(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
}

func (b *Body) bytes() int {
	return len(b.Args) + len(b.Meta) + len(b.Checkpoint) + len(b.Asked) + len(b.Answers) + len(b.Result) + len(b.Error)
}

// EncodeHead returns the first text of [Record.Encode] for a new head and an unchanged body. old is the first text of
// the record that is replaced.
func (h *Head) EncodeHead(old []byte) ([]byte, error) {
	if isApart(old) {
		return encodeApart(h)
	}
	r := new(Record)
	if err := r.Decode(old, nil); err != nil {
		return nil, err
	}
	r.Head = *h
	return encode(r)
}

// DecodeHead reads the first text of [Record.Encode]. It sets everything but Version and Size.
func (h *Head) DecodeHead(head []byte) error {
	version, size := h.Version, h.Size
	*h = Head{}
	err := decode(headOf(head), h)
	h.Version, h.Size = version, size
	return err
}

// Decode reads what [Record.Encode] has returned. It sets everything but Version and Size. The body of r shares the
// memory of body: neither may be changed afterwards.
func (r *Record) Decode(head, body []byte) error {
	version, size := r.Version, r.Size
	*r = Record{}
	var err error
	if isApart(head) {
		if err = decode(headOf(head), &r.Head); err == nil {
			err = r.decode(body)
		}
	} else {
		err = decode(head, r)
	}
	r.Version, r.Size = version, size
	return err
}

// A head whose body is in a second text is in brackets. Older programs, which know only records in one text, cannot
// read it; otherwise they would take it for a record without arguments.

func encodeApart(h *Head) ([]byte, error) {
	text, err := encode(h)
	return append(append([]byte{'['}, text...), ']'), err
}

func isApart(head []byte) bool { return len(head) > 1 && head[0] == '[' }

func headOf(text []byte) []byte {
	if isApart(text) {
		return text[1 : len(text)-1]
	}
	return text
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // else a result could become six times as large
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func decode(text []byte, v any) error {
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	return nil
}
