//go:build race

package interop

const underRace = true
