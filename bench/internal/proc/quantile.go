//go:build unix

package proc

import (
	"slices"
	"time"
)

// quantile sorts list.
func quantile(list []time.Duration, q float64) time.Duration {
	slices.Sort(list)
	return list[int(q*float64(len(list)-1))]
}
