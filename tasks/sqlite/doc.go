// Package sqlitetasks keeps the tasks of a server in an SQLite file: [Store] is a task.Store that all processes on one
// machine can share, and that survives kill -9 of any of them at any time, and a loss of power. The driver is
// modernc.org/sqlite, which needs no C compiler.
package sqlitetasks
