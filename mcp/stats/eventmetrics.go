package stats

// eventMetrics are the rows about events.
func eventMetrics() []Metric {
	return []Metric{
		number("mcp_events_committed_total", Counter, "events", "Events that were appended to the log.",
			func(s *Snapshot) int64 { return s.Events.Committed }),
		number("mcp_events_duplicates_total", Counter, "events", "Events that the log had already.",
			func(s *Snapshot) int64 { return s.Events.Duplicates }),
		number("mcp_events_overflows_total", Counter, "events",
			"Events that were published and lost, because the log was slow or away.",
			func(s *Snapshot) int64 { return s.Events.Overflows }),
		number("mcp_events_delivered_total", Counter, "events", "Events that polls and streams have got.",
			func(s *Snapshot) int64 { return s.Events.Delivered }),
		number("mcp_events_gaps_total", Counter, "gaps", "How often a subscriber was told that events are lost.",
			func(s *Snapshot) int64 { return s.Events.Gaps }),
		number("mcp_events_streams", Gauge, "streams", "Open streams of events.",
			func(s *Snapshot) int64 { return s.Events.Streams }),
		number("mcp_events_streams_refused_total", Counter, "streams", "Streams of events for which there was no room.",
			func(s *Snapshot) int64 { return s.Events.StreamsRefused }),
		number("mcp_events_withheld_total", Counter, "events",
			"How often an event was kept from a subscriber, because code of the program has failed.",
			func(s *Snapshot) int64 { return s.Events.Withheld }),
		number("mcp_events_log_errors_total", Counter, "errors", "Calls of the log of events that have failed.",
			func(s *Snapshot) int64 { return s.Events.LogErrors }),
	}
}
