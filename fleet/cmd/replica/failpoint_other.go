//go:build !unix

package main

// failpoint returns a function that does nothing: there is no signal to arm it.
func failpoint() func() { return func() {} }
