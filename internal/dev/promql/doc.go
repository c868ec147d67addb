// Package promql runs the queries of docs/telemetry on numbers of servers, with the engine of Prometheus. It is a
// module of its own, because that engine requires hundreds of others.
package promql
