//go:build fleet_publish_first

package serve

func init() { publishFirst = true }
