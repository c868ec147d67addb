package ir

import (
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// Event is a type of events: a struct that is the payload.
type Event struct {
	Pos diag.Pos
	// Name is what clients call it, and Title and Description what they are told.
	Name, Title, Description string
	// File is the base name of its source.
	File string
	// Modes are the ways in which clients get it: poll, push, webhook.
	Modes []string
	// Type is the payload, Encode writes it, and Payload is its JSON schema.
	Type    *GoType
	Encode  *Encoder
	Payload string
	// Schema is how often the payload or the arguments have changed so that clients of older ones could not go on.
	Schema int
	// InputOnly is how many of the last of these changes left the payload as it was.
	InputOnly int
	// Args is the struct of the arguments, nil if there are none, and Arguments its JSON schema.
	Args      *ArgStruct
	Arguments string
	// ID and Time are the fields with the id of an occurrence and its time; empty for none. IDText says that ID is a
	// string without a name.
	ID, Time string
	IDText   bool
	// Retain and Keep bound what can be read again, and Poll is how long clients wait between polls; 0 leaves them to the
	// runtime.
	Retain, Poll time.Duration
	Keep         int64
	// Match is the function that decides which occurrences a subscription gets. Without it Equal are the comparisons
	// that do; with neither it gets all of them.
	Match *Callee
	Equal []Comparison
	// Shape changes the payload for a subscriber, nil for none. Replay returns occurrences from the history that the
	// program has; nil if they are published.
	Shape, Replay *Callee
	// Rules are what it asks of its subscribers; nil for nothing.
	Rules *Rules
	// Proto is the range of protocol revisions that have it.
	Proto Proto
	// Toggle is the method that switches it on and off; empty for none.
	Toggle string
	Tags   []string
	Names  EventNames
}

// EventNames are the identifiers generated for an event IncidentOpened: PublishIncidentOpened and CommitIncidentOpened,
// or AnnounceIncidentOpened if it has a Replay; incidentOpenedEvent for its field and the function that declares it;
// and matchIncidentOpened where arguments are compared.
type EventNames struct {
	Publish, Commit, Announce, Field, New, Match string
}

// CompareKind says how an argument is compared with a field of the payload.
type CompareKind uint8

// The ways to compare.
const (
	CompareAlways  CompareKind = iota + 1 // f == e
	CompareText                           // f == "" || f == e
	ComparePointer                        // f == nil || *f == e
	CompareList                           // len(f) == 0 || slices.Contains(f, e)
)

// Comparison compares an argument with a field of the payload; both are selectors.
type Comparison struct {
	Kind       CompareKind
	Arg, Field string
}

// ResourceEvent is an event for the updates of a resource: what clients call it, what they are told, and the ways in
// which they get it. Rules are those of the resource that an event can have.
type ResourceEvent struct {
	Name, Description string
	Modes             []string
	Rules             *Rules
}
