// Package protocol writes the protocol package, and those of extensions. The table of its files is in emit.go.
package protocol
