//go:build race

package wire

// Under the race detector sync.Pool drops values on purpose.
const raceDetector = true
