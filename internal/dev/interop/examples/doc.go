// Package examples tests the generated protocol types with the official examples. It is a separate package so that it
// builds without a server.
package examples
