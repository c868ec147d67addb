package events

import "sync/atomic"

// Counts are the numbers of an engine since it was made.
type Counts struct {
	// Committed counts the events that were appended here, Duplicates those that the log had already, and Overflows those
	// that were published but lost before the log had them.
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

// failed counts that an event is withheld because code of the program has failed, and logs one such failure in 1,000.
// key is the slog key of id: "id" for the id of an event, "subscription" for that of a subscription.
func (e *Engine) failed(p *topic, key, id string, err error) {
	if e.Counts.Failed.Add(1)%1000 == 1 { // one failure can repeat for each subscriber and each event
		e.Logger.Error("mcp: events: an event is withheld", "event", p.Name, key, id, "err", err)
	}
}
