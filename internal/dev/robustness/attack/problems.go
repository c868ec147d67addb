package attack

import (
	"fmt"
	"slices"
)

const (
	defaultMemory = 64 << 20
	defaultLog    = 64 << 10
)

// Problems lists what a row wants and the result of its attack does not show.
func (res *Result) Problems(row *Row) (list []string) {
	bad := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if res.Served < res.Asked {
		bad("%d of %d honest requests are answered; the first refused one gets: %s", res.Served, res.Asked, res.Refusal)
	}
	memory, log := row.Want.most(res.full), row.Want.Log
	if log == 0 {
		log = defaultLog
	}
	if res.Memory > memory {
		bad("the process has grown by %.1f MiB, more than %.1f MiB", mib(res.Memory), mib(memory))
	}
	if res.Log > log {
		bad("%d bytes are logged, more than %d", res.Log, log)
	}
	if res.Stacks != "" {
		bad("%d goroutines and %d descriptors before, %d and %d afterwards:\n%s", res.Before.Goroutines,
			res.Before.Descriptors, res.After.Goroutines, res.After.Descriptors, res.Stacks)
	}
	for kind, n := range res.Replies {
		if row.Want.Replies != nil && !slices.Contains(row.Want.Replies, kind) {
			bad("%d hostile clients get %q", n, kind)
		}
	}
	if res.Code != 0 {
		bad("the exit status is %d: %.300s", res.Code, res.Text)
	}
	if row.Want.Check != nil {
		if err := row.Want.Check(res); err != nil {
			bad("%v", err)
		}
	}
	return list
}

// most is how many bytes the process may grow by.
func (v *Verdict) most(full bool) int64 {
	switch {
	case full && v.Full != 0:
		return v.Full
	case v.Memory != 0:
		return v.Memory
	}
	return defaultMemory
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }
