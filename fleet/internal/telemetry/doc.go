// Package telemetry tests the dashboard and the alerts of docs/telemetry: in the Prometheus of the system, which reads
// the numbers of a fleet.
package telemetry
