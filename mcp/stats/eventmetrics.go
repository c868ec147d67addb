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

// webhookFailures are the reasons why attempts fail.
var webhookFailures = []string{"connection_refused", "timeout", "tls_error", "http_4xx", "http_5xx"}

// webhookMetrics are the rows about deliveries to callbacks.
func webhookMetrics() []Metric {
	of := func(f func(*Webhooks) int64) func(*Snapshot) int64 {
		return func(s *Snapshot) int64 { return f(&s.Events.Webhooks) }
	}
	return []Metric{
		number("mcp_webhook_subscriptions", Gauge, "subscriptions", "Subscriptions that this process delivers to.",
			of(func(w *Webhooks) int64 { return w.Subscriptions })),
		number("mcp_webhook_suspended", Gauge, "subscriptions",
			"Those of them that are suspended, because their callbacks fail.",
			of(func(w *Webhooks) int64 { return w.Suspended })),
		number("mcp_webhook_attempts_running", Gauge, "attempts", "Attempts to deliver that run.",
			of(func(w *Webhooks) int64 { return w.InFlight })),
		number("mcp_webhook_shards", Gauge, "shards", "Shards of the subscriptions, 64 in all, that this process has.",
			of(func(w *Webhooks) int64 { return w.Shards })),
		number("mcp_webhook_delivered_total", Counter, "messages", "Messages that callbacks have accepted.",
			of(func(w *Webhooks) int64 { return w.Delivered })),
		number("mcp_webhook_retried_total", Counter, "attempts", "Attempts that have failed and are repeated.",
			of(func(w *Webhooks) int64 { return w.Retried })),
		divided("mcp_webhook_failures_total", Counter, "attempts", "Attempts that have failed, by why.",
			Label{"reason", webhookFailures}, func(s *Snapshot) map[string]int64 { return s.Events.Webhooks.Failures }),
		number("mcp_webhook_abandoned_total", Counter, "events", "Events that were given up for a callback.",
			of(func(w *Webhooks) int64 { return w.Abandoned })),
		number("mcp_webhook_gaps_total", Counter, "gaps", "How often a callback is told that events are lost.",
			of(func(w *Webhooks) int64 { return w.Gaps })),
		number("mcp_webhook_ended_total", Counter, "subscriptions", "Subscriptions that the server has ended.",
			of(func(w *Webhooks) int64 { return w.Ended })),
		number("mcp_webhook_challenges_total", Counter, "challenges", "Callbacks that were asked whether they want messages.",
			of(func(w *Webhooks) int64 { return w.Challenges })),
		number("mcp_webhook_challenges_failed_total", Counter, "challenges", "Those of them that did not answer well.",
			of(func(w *Webhooks) int64 { return w.ChallengesFailed })),
		number("mcp_webhook_refused_total", Counter, "connections",
			"Connections to callbacks that were not made, because an address is not public.",
			of(func(w *Webhooks) int64 { return w.Refused })),
		number("mcp_webhook_shards_taken_total", Counter, "shards", "Shards that this process has taken over.",
			of(func(w *Webhooks) int64 { return w.ShardsTaken })),
	}
}
