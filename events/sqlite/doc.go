// Package sqliteevents keeps the events of a server in an SQLite file: [Log] is an event.Log that all processes on one
// machine can share, and that survives kill -9 of any of them at any time, and a loss of power. The driver is
// modernc.org/sqlite, which needs no C compiler.
package sqliteevents
