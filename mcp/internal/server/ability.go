package server

import "strings"

// Ability is a set of things that a client can be asked for.
type Ability uint8

// The abilities of clients.
const (
	Elicitation    Ability = 1 << iota // forms for the user, since 2025-06-18
	ElicitationURL                     // web pages for the user, since 2025-11-25
	Sampling                           // the model
	SamplingTools                      // the model, with tools, since 2025-11-25
	Roots                              // the folders
)

// abilityNames are the capabilities that a client declares for its abilities.
var abilityNames = [...]struct {
	a          Ability
	name, part string
}{
	{Elicitation, "elicitation", "form"},
	{ElicitationURL, "elicitation", "url"},
	{Sampling, "sampling", ""},
	{SamplingTools, "sampling", "tools"},
	{Roots, "roots", ""},
}

// String lists the capabilities of a, such as "elicitation.form, roots".
func (a Ability) String() string {
	var list []string
	for _, n := range abilityNames {
		if a&n.a != 0 {
			list = append(list, strings.TrimSuffix(n.name+"."+n.part, "."))
		}
	}
	return strings.Join(list, ", ")
}

// MissingAbilityError says that the client cannot be asked, because it has not declared that it can.
// From 2026-07-28 on, a handler that returns it answers with code -32021 and what is missing;
// before, it fails like any other, with a text that the client sees.
type MissingAbilityError struct{ Missing Ability }

// Error implements error.
func (e *MissingAbilityError) Error() string {
	return "the client does not have the capability " + e.Missing.String()
}
