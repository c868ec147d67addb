package events

import "sync/atomic"

// Counts are the numbers of an engine since it was made.
type Counts struct {
	// Committed counts the events that were appended here, Duplicates those that the log had already, and Overflows those
	// that were published but lost, because too many were waiting.
	Committed, Duplicates, Overflows atomic.Int64
	// Delivered counts the events that polls and streams have got, and Gaps how often a subscriber of any mode was told
	// that events are lost.
	Delivered, Gaps atomic.Int64
	// Streams is the number of open streams.
	Streams atomic.Int64
	// Refused counts the streams for which there was no room.
	Refused atomic.Int64
	// Failed counts failures of the program: events that it could not decode, match or shape for a subscriber, and
	// arguments that it could not read.
	Failed atomic.Int64
	// LogErrors counts the calls of the log that have failed.
	LogErrors atomic.Int64
}

// failed logs and counts that an event is withheld because code of the program has failed. kind is the key of id in the
// log: "id" for that of an event, or "subscription".
func (e *Engine) failed(p *topic, kind, id string, err error) {
	if e.Counts.Failed.Add(1)%1000 == 1 { // one failure can repeat for each subscriber and each event
		e.Logger.Error("mcp: events: an event is withheld", "event", p.Name, kind, id, "err", err)
	}
}
