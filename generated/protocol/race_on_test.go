//go:build race

package protocol

// Under the race detector sync.Pool drops values on purpose.
const raceDetector = true
