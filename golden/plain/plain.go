// Package plain is an example server whose tools take and return plain values: numbers, times and lists.
//
//mcp:server name=plain version=1.0.0
package plain

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Priority of a task.
//
//mcp:enum
type Priority int

// The priorities.
const (
	Low Priority = iota + 1
	Middle
	High
)

// Count returns how many tasks there are.
//
//mcp:tool readonly
func Count(ctx context.Context) (int, error) { return 3, nil }

// Busy says whether anybody works.
//
//mcp:tool readonly
func Busy(ctx context.Context) (bool, error) { return true, nil }

// Share returns how much is done, from 0 to 1.
//
//mcp:tool readonly
func Share(ctx context.Context) (float64, error) { return 0.25, nil }

// Now returns the time at the office.
//
//mcp:tool readonly
func Now(ctx context.Context) (time.Time, error) {
	return time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC), nil
}

// Deadline returns when all must be done, or null.
//
//mcp:tool readonly
func Deadline(ctx context.Context) (*time.Time, error) { return nil, nil }

// Host returns the address of the office.
//
//mcp:tool readonly
func Host(ctx context.Context) (netip.Addr, error) { return netip.IPv6Loopback(), nil }

// Names returns the names of all tasks.
//
//mcp:tool readonly
func Names(ctx context.Context) ([]string, error) { return nil, nil }

// Anything returns values of any form.
//
//mcp:tool readonly
func Anything(ctx context.Context) ([]any, error) { return nil, nil }

// Next returns the priority of the next task, or 0 if there is none.
//
//mcp:tool readonly
func Next(ctx context.Context) (Priority, error) { return 0, nil }

// Task is a task.
type Task struct {
	Project  string    `json:"project"`
	Number   int       `json:"number"`
	Priority Priority  `json:"priority,omitempty"`
	Due      time.Time `json:"due,omitzero"`
	Tags     []string  `json:"tags"`
	By       string    `json:"by,omitempty"`
}

// ReadTask returns one task.
//
//mcp:resource uri=tasks:///{project}/{number} list=none subscribe
func ReadTask(ctx context.Context, project string, number int) (Task, error) {
	return Task{Project: project, Number: number}, nil
}

// Plan makes a task. Its parameters are the arguments, but for those that the server fills.
//
//mcp:tool updates=tasks:///{project}/{number}
//mcp:arg project "desc=Key of the project." example=OPS pattern=[A-Z]+
//mcp:arg number default=1 min=1 max=1000 example=12 title=Number
//mcp:arg due "desc=When it must be done; never if left out."
//mcp:arg labels param=tags required=false
//nolint:revive // the arguments of the tool
func Plan(ctx context.Context, project string, who mcp.Caller, number int, priority *Priority, due *time.Time,
	tags []string) (Task, error) {
	t := Task{Project: project, Number: number, Tags: tags, By: who.Subject}
	if priority != nil {
		t.Priority = *priority
	}
	if due != nil {
		t.Due = *due
	}
	return t, nil
}

// Sum adds numbers.
//
//mcp:tool readonly
func Sum(ctx context.Context, a, b float64) (float64, error) { return a + b, nil }

// Merge makes one task of two.
//
//mcp:tool readonly
func Merge(ctx context.Context, first, second Task) (Task, error) {
	first.Tags = append(first.Tags, second.Tags...)
	return first, nil
}

// Wait says when a time has come.
//
//mcp:tool readonly
func Wait(ctx context.Context, until time.Time, progress mcp.Progress) (bool, error) {
	return until.Year() < 2027, nil
}

// Say returns a text, which stays one.
//
//mcp:tool readonly
func Say(ctx context.Context) (string, error) { return "Three tasks.", nil }

// parseURL reads an address. Clients are told what is wrong with its scheme, and nothing else.
//
//mcp:type format=uri "desc=Address of a page."
func parseURL(s string) (url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return url.URL{}, err
	}
	if u.Scheme != "https" {
		return url.URL{}, mcp.Errorf("must begin with https:")
	}
	return *u, nil
}

// formatURL writes an address.
//
//mcp:type
func formatURL(u url.URL) string { return u.String() }

// parseSeconds reads a duration.
//
//mcp:type desc=Seconds.
func parseSeconds(s float64) (time.Duration, error) {
	return time.Duration(s * float64(time.Second)), nil
}

// formatSeconds writes a duration.
//
//mcp:type
func formatSeconds(d time.Duration) (float64, error) {
	if d < 0 {
		return 0, errors.New("a negative duration")
	}
	return d.Seconds(), nil
}

// Visit is a visit of a page.
type Visit struct {
	// Page is what was asked for.
	Page    url.URL            `json:"page"`
	Proxy   *url.URL           `json:"proxy,omitempty"`
	Next    *url.URL           `json:"next"`
	Links   []url.URL          `json:"links"`
	Mirrors map[string]url.URL `json:"mirrors"`
	Took    time.Duration      `json:"took,omitzero"`
}

// Browse visits a page. Addresses are texts and durations are seconds, as functions of this package say.
//
//mcp:tool
func Browse(ctx context.Context, page url.URL, proxy *url.URL, links []url.URL, mirrors map[string]url.URL,
	limit *time.Duration) (Visit, error) {
	v := Visit{Page: page, Proxy: proxy, Links: links, Mirrors: mirrors}
	if limit != nil {
		v.Took = *limit
	}
	return v, nil
}

// Again visits a page as before.
//
//mcp:tool
func Again(ctx context.Context, v Visit) (Visit, error) { return v, nil }

// Home returns the address of the office.
//
//mcp:tool readonly
func Home(ctx context.Context) (url.URL, error) {
	return url.URL{Scheme: "https", Host: "example.com", Path: "/a b"}, nil
}

// Mirror returns another address of the office, or null.
//
//mcp:tool readonly
func Mirror(ctx context.Context) (*url.URL, error) { return nil, nil }

// Waits returns how long visits took.
//
//mcp:tool readonly
func Waits(ctx context.Context) ([]time.Duration, error) {
	return []time.Duration{time.Second, 1500 * time.Millisecond}, nil
}

// Start returns the address of the first page.
//
//mcp:resource uri=pages:///first
func Start(ctx context.Context) (*url.URL, error) { return url.Parse("https://example.com/") }

// Last returns the last visit.
//
//mcp:resource uri=visits:///last
func Last(ctx context.Context) (Visit, error) { return Visit{Took: time.Minute}, nil }

// Preview is an experimental capability: what the server declares about itself to clients that know it.
//
//mcp:experimental name=com.example/preview
var Preview = map[string]bool{"tasks": true, "drafts": false}
