// Package systems tests that the runtime and the generator compile for Windows and macOS, on which nobody runs the
// tests.
package systems
