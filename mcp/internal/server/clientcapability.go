package server

import "strings"

// ClientCapability is a set of things that a client can be asked for.
type ClientCapability uint8

// The capabilities of clients.
const (
	Elicitation    ClientCapability = 1 << iota // forms for the user, since 2025-06-18
	ElicitationURL                              // web pages for the user, since 2025-11-25
	Sampling                                    // the model
	SamplingTools                               // the model, with tools, since 2025-11-25
	Roots                                       // the folders
	Apps                                        // pages of the server, shown beside results of tools
)

// capabilityNames are the capabilities that a client declares for its capabilities.
var capabilityNames = [...]struct {
	a          ClientCapability
	name, mode string
}{
	{Elicitation, "elicitation", "form"},
	{ElicitationURL, "elicitation", "url"},
	{Sampling, "sampling", ""},
	{SamplingTools, "sampling", "tools"},
	{Roots, "roots", ""},
	{Apps, "extensions", appsExtension},
}

// String lists the capabilities of a, such as "elicitation.form, roots".
func (a ClientCapability) String() string {
	var list []string
	for _, n := range capabilityNames {
		if a&n.a != 0 {
			list = append(list, strings.TrimSuffix(n.name+"."+n.mode, "."))
		}
	}
	return strings.Join(list, ", ")
}

// MissingCapabilityError says that the client cannot be asked, because it has not declared that it can.
// From 2026-07-28 on, a handler that returns it answers with code -32021 and what is missing;
// before, it fails like any other, with a text that the client sees.
type MissingCapabilityError struct{ Missing ClientCapability }

// Error implements error.
func (e *MissingCapabilityError) Error() string {
	return "the client does not have the capability " + e.Missing.String()
}

// PublicText is the text for clients, for [wire.PublicText].
func (e *MissingCapabilityError) PublicText() string { return e.Error() }
