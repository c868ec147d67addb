// Package examples tests the generated protocol types with the official examples. It is a
// package of its own so that it builds without any server.
package examples
