//go:build race

package relay

// raceDetector says that the race detector is on, which makes the checker several times slower.
const raceDetector = true
