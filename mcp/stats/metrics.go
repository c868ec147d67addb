package stats

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/internal/labels"
)

// Kind says how a number changes.
type Kind uint8

// The kinds of numbers.
const (
	Counter Kind = iota // only grows while the server exists
	Gauge               // grows and falls
)

// String returns the name of the kind in the text format of Prometheus.
func (k Kind) String() string {
	if k == Gauge {
		return "gauge"
	}
	return "counter"
}

// Metric is a row of the table of numbers.
type Metric struct {
	// Name is the name for Prometheus. It contains the unit, if that is a base unit; the name of a counter ends in _total.
	Name string
	// Kind says how the number changes, and Unit what it counts.
	Kind Kind
	Unit string
	// Meaning is a sentence for operators.
	Meaning string
	// Labels divide the number. Without labels there is one number.
	Labels []Label

	samples func(s *Snapshot, f func(n float64, values ...string))
}

// Label is something by which a number is divided.
type Label struct {
	Name string
	// Values are all values that the label can have; nil for those of [RequestCount].
	Values []string
}

// Each calls f for each number of the metric in a snapshot, with the values of its labels in order. It calls f for
// numbers that are zero too, except for requests.
func (m *Metric) Each(s *Snapshot, f func(n float64, values ...string)) { m.samples(s, f) }

// Metrics returns the table of all numbers of a [Snapshot], in the order in which they are exported.
func Metrics() []Metric {
	return slices.Concat(requestMetrics(), clientMetrics(), updateMetrics(), limitMetrics(), taskMetrics(),
		eventMetrics(), webhookMetrics(), replicaMetrics())
}

// requestMetrics are the rows about requests and handlers.
func requestMetrics() []Metric {
	return []Metric{
		{Name: "mcp_requests_total", Unit: "requests",
			Meaning: "Requests that were answered or cancelled, by method and JSON-RPC error code.",
			Labels:  []Label{{Name: "method"}, {Name: "code"}},
			samples: func(s *Snapshot, f func(float64, ...string)) {
				for _, r := range s.Requests {
					f(float64(r.Count), r.Method, r.Code)
				}
			}},
		number("mcp_requests_running", Gauge, "requests",
			"Requests whose handlers run, without those that wait for the user or the model.",
			func(s *Snapshot) int64 { return s.Running }),
		number("mcp_requests_waiting", Gauge, "requests",
			"Requests whose handlers wait for the user or the model of the client.",
			func(s *Snapshot) int64 { return s.Waiting }),
		divided("mcp_questions_open", Gauge, "questions", "Open questions of these requests, by kind.",
			Label{"kind", labels.Texts(labels.NumQuestions)}, func(s *Snapshot) map[string]int64 { return s.Questions }),
		number("mcp_requests_abandoned_total", Counter, "requests",
			"Requests that were answered in place of their handler, because its time was over or the server ended.",
			func(s *Snapshot) int64 { return s.Abandoned }),
		number("mcp_handlers_abandoned", Gauge, "handlers", "Handlers of such requests that have not returned.",
			func(s *Snapshot) int64 { return s.AbandonedRunning }),
		divided("mcp_panics_total", Counter, "panics", "Panics in code of the program, by what has panicked.",
			Label{"where", labels.Texts(labels.NumPanics)}, func(s *Snapshot) map[string]int64 { return s.Panics }),
	}
}

// clientMetrics are the rows about connections, sessions and streams.
func clientMetrics() []Metric {
	return []Metric{
		divided("mcp_connections", Gauge, "connections", "Open connections.",
			Label{"transport", labels.Texts(labels.NumTransports)}, func(s *Snapshot) map[string]int64 { return s.Connections }),
		divided("mcp_connections_closed_total", Counter, "connections", "Connections that the server has closed, by reason.",
			Label{"reason", labels.Texts(labels.NumCloses)}, func(s *Snapshot) map[string]int64 { return s.ConnectionsClosed }),
		number("mcp_sessions", Gauge, "sessions", "Sessions of older revisions over HTTP.",
			func(s *Snapshot) int64 { return s.Sessions }),
		divided("mcp_streams", Gauge, "streams", "Open streams.",
			Label{"kind", labels.Texts(labels.NumStreams)}, func(s *Snapshot) map[string]int64 { return s.Streams }),
		divided("mcp_streams_ended_total", Counter, "streams", "Streams over HTTP that have ended, by reason.",
			Label{"reason", labels.Texts(labels.NumStreamEnds)}, func(s *Snapshot) map[string]int64 { return s.StreamsEnded }),
	}
}

// updateMetrics are the rows about subscriptions and updates.
func updateMetrics() []Metric {
	return []Metric{
		number("mcp_subscriptions", Gauge, "subscriptions", "URIs that clients are subscribed to.",
			func(s *Snapshot) int64 { return s.Subscriptions }),
		number("mcp_watchers", Gauge, "watchers", "Resources that the server watches for them.",
			func(s *Snapshot) int64 { return s.Watchers }),
		number("mcp_watchers_reopened_total", Counter, "watchers",
			"Watchers that have ended or panicked and were opened again.",
			func(s *Snapshot) int64 { return s.WatchersReopened }),
		number("mcp_updates_published_total", Counter, "changes", "Changes of resources and lists that were published.",
			func(s *Snapshot) int64 { return s.UpdatesPublished }),
		number("mcp_updates_delivered_total", Counter, "notifications", "Notifications that were written for changes.",
			func(s *Snapshot) int64 { return s.UpdatesDelivered }),
		number("mcp_updates_coalesced_total", Counter, "notifications",
			"Notifications that were saved because one to the same subscriber was still to be written.",
			func(s *Snapshot) int64 { return s.UpdatesCoalesced }),
	}
}

// limitMetrics are the rows about memory and what was refused.
func limitMetrics() []Metric {
	return []Metric{
		divided("mcp_pending_bytes", Gauge, "bytes",
			"Bodies of requests that are handled, values of responses that are made, and responses that clients have not read.",
			Label{"kind", labels.Texts(labels.NumPending)}, func(s *Snapshot) map[string]int64 { return s.PendingBytes }),
		number("mcp_retained_bytes", Gauge, "bytes", "Events that sessions keep for clients that resume a stream.",
			func(s *Snapshot) int64 { return s.RetainedBytes }),
		divided("mcp_refusals_total", Counter, "refusals", "What was refused, by reason.",
			Label{"reason", labels.Texts(labels.NumRefusals)}, func(s *Snapshot) map[string]int64 { return s.Refusals }),
		divided("mcp_log_records_dropped_total", Counter, "records", "Records of the log that were not written, by reason.",
			Label{"reason", labels.Texts(labels.NumDrops)}, func(s *Snapshot) map[string]int64 { return s.LogRecordsDropped }),
	}
}

// taskMetrics are the rows about tasks.
func taskMetrics() []Metric {
	return []Metric{
		number("mcp_tasks_created_total", Counter, "tasks", "Tool calls that have become tasks.",
			func(s *Snapshot) int64 { return s.Tasks.Created }),
		number("mcp_tasks_running", Gauge, "tasks", "Tasks whose handlers run in this process.",
			func(s *Snapshot) int64 { return s.Tasks.Running }),
		number("mcp_tasks_deferred_total", Counter, "waits",
			"How often a task had to wait, because as many were running as may run.",
			func(s *Snapshot) int64 { return s.Tasks.Deferred }),
		number("mcp_tasks_asked_total", Counter, "waits", "How often a task began to wait for answers of its client.",
			func(s *Snapshot) int64 { return s.Tasks.Asked }),
		number("mcp_tasks_taken_over_total", Counter, "tasks",
			"Tasks that were run again, because the process or the run that had them before has died.",
			func(s *Snapshot) int64 { return s.Tasks.TakenOver }),
		number("mcp_tasks_given_back_total", Counter, "tasks",
			"Tasks that the server has left to other processes when it ended.",
			func(s *Snapshot) int64 { return s.Tasks.GivenBack }),
		divided("mcp_tasks_ended_total", Counter, "tasks", "Tasks that have ended, by how.",
			Label{"outcome", labels.Texts(labels.NumTaskEnds)}, func(s *Snapshot) map[string]int64 { return s.Tasks.Ended }),
		number("mcp_tasks_expired_total", Counter, "tasks", "Tasks that were removed because their time was over.",
			func(s *Snapshot) int64 { return s.Tasks.Expired }),
		number("mcp_tasks_not_followed_total", Counter, "tasks",
			"Tasks whose session is not notified of them, or no longer, because it has too many.",
			func(s *Snapshot) int64 { return s.Tasks.NotFollowed }),
		number("mcp_task_progress_dropped_total", Counter, "reports",
			"Reports of progress of tasks that no client got, because none read the notifications of the session here.",
			func(s *Snapshot) int64 { return s.Tasks.ProgressDropped }),
		number("mcp_task_store_errors_total", Counter, "errors", "Calls of the store of tasks that have failed.",
			func(s *Snapshot) int64 { return s.Tasks.StoreErrors }),
	}
}

// replicaMetrics are the rows about other replicas.
func replicaMetrics() []Metric {
	return []Metric{
		number("mcp_replicas", Gauge, "replicas", "Replicas that are heard, this one included; 0 without a bus.",
			func(s *Snapshot) int64 { return s.Replicas.Heard }),
		number("mcp_replicas_missing", Gauge, "replicas",
			"Replicas that have fallen silent within the last hour and that no other one has replaced.",
			func(s *Snapshot) int64 { return s.Replicas.Missing }),
		divided("mcp_replica_unready", Gauge, "replicas", "1 for the reason why this replica is not ready.",
			Label{"reason", labels.Texts(labels.NumUnready)}, func(s *Snapshot) map[string]int64 { return s.Replicas.Unready }),
		number("mcp_replicas_different", Gauge, "replicas", "Replicas whose lists differ from the lists of this one.",
			func(s *Snapshot) int64 { return s.Replicas.Different }),
		number("mcp_replica_fenced", Gauge, "replicas",
			"1 while the server has not heard itself on the bus for 30 seconds, and refuses streams.",
			func(s *Snapshot) int64 { return s.Replicas.Fenced }),
		number("mcp_replica_suspects_total", Counter, "suspicions",
			"How often a replica has fallen silent.",
			func(s *Snapshot) int64 { return s.Replicas.Suspects }),
		divided("mcp_replica_resyncs_total", Counter, "resyncs",
			"How often all subscriptions were marked as changed, because changes of replicas may have been missed, by reason.",
			Label{"reason", labels.Texts(labels.NumResyncs)}, func(s *Snapshot) map[string]int64 { return s.Replicas.Resyncs }),
		{Name: "mcp_replica_blind_seconds_total", Unit: "seconds",
			Meaning: "Time in which the server has not heard itself on the bus.",
			samples: func(s *Snapshot, f func(float64, ...string)) { f(s.Replicas.Blind.Seconds()) }},
		number("mcp_bus_frames_sent_total", Counter, "frames", "Frames that were published on the bus.",
			func(s *Snapshot) int64 { return s.Replicas.FramesSent }),
		number("mcp_bus_frames_received_total", Counter, "frames", "Frames of other replicas that came from the bus.",
			func(s *Snapshot) int64 { return s.Replicas.FramesReceived }),
		divided("mcp_bus_frames_dropped_total", Counter, "frames", "Frames from the bus that were not used, by reason.",
			Label{"reason", labels.Texts(labels.NumFrameDrops)},
			func(s *Snapshot) map[string]int64 { return s.Replicas.FramesDropped }),
		number("mcp_bus_errors_total", Counter, "errors", "Calls of the bus that have failed.",
			func(s *Snapshot) int64 { return s.Replicas.BusErrors }),
		number("mcp_bus_overflows_total", Counter, "overflows",
			"How often so much waited for the bus that the other replicas were told that everything may have changed.",
			func(s *Snapshot) int64 { return s.Replicas.Overflows }),
	}
}

// number is a row without labels.
func number(name string, kind Kind, unit, meaning string, of func(*Snapshot) int64) Metric {
	return Metric{Name: name, Kind: kind, Unit: unit, Meaning: meaning,
		samples: func(s *Snapshot, f func(float64, ...string)) { f(float64(of(s))) }}
}

// divided is a row with one label, whose values are the keys of a map.
func divided(
	name string, kind Kind, unit, meaning string, by Label, of func(*Snapshot) map[string]int64,
) Metric {
	return Metric{Name: name, Kind: kind, Unit: unit, Meaning: meaning, Labels: []Label{by},
		samples: func(s *Snapshot, f func(float64, ...string)) {
			numbers := of(s)
			for _, value := range by.Values {
				f(float64(numbers[value]), value)
			}
		}}
}
