//go:build !race

package relay

// raceDetector says that the race detector is off.
const raceDetector = false
