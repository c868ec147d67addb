package server

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/replica"
	"github.com/mcpgen/mcpgen/mcp/stats"
	"github.com/mcpgen/mcpgen/mcp/task"
)

// Options are the Options of package mcp, which describes each. The zero value and nil mean the defaults.
type Options struct {
	Logger                             *slog.Logger
	Keys                               [][]byte
	ShowErrors                         bool
	PageSize                           int
	OnlyTags, ExceptTags               []string
	DynamicTools                       bool
	MaxInFlight                        int
	MaxQuestions                       int
	MaxSubscriptions, MaxListens       int
	MaxTotalSubscriptions, MaxWatchers int
	Grace                              time.Duration
	MaxFileBytes                       int64
	Caller                             call.Caller
	Audit                              *slog.Logger
	AskTimeout                         time.Duration
	UpdateDelay                        time.Duration
	Bus                                replica.Link
	BusName                            string
	Replicas                           int
	ShareRates                         bool
	Observer                           stats.Observer
	Tasks                              task.Options
	Events                             event.Settings
}

// check returns an error if an option is out of range.
func (o *Options) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"PageSize", int64(o.PageSize)},
		{"MaxInFlight", int64(o.MaxInFlight)},
		{"MaxQuestions", int64(o.MaxQuestions)},
		{"MaxSubscriptions", int64(o.MaxSubscriptions)},
		{"MaxListens", int64(o.MaxListens)},
		{"MaxTotalSubscriptions", int64(o.MaxTotalSubscriptions)},
		{"MaxWatchers", int64(o.MaxWatchers)},
		{"Grace", int64(o.Grace)},
		{"AskTimeout", int64(o.AskTimeout)},
		{"Replicas", int64(o.Replicas)},
		{"MaxFileBytes", o.MaxFileBytes},
	} {
		if n.value < 0 {
			return fmt.Errorf("mcp: Options.%s is %d: want 0 or more", n.name, n.value)
		}
	}
	return nil
}

// firstPositive returns the first positive value; 0 if there is none.
func firstPositive[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v > 0 {
			return v
		}
	}
	return 0
}

const (
	defaultPageSize     = 1000
	defaultMaxInFlight  = 256
	defaultMaxQuestions = 256
	defaultGrace        = 10 * time.Second
	defaultAskTimeout   = 15 * time.Minute // long enough for a person who has to think
)

const (
	defaultMaxSubscriptions = 10_000
	defaultMaxListens       = 100
	defaultMaxTotal         = 200_000 // 40 MB
	defaultMaxWatchers      = 4096    // each has a goroutine, and may poll
	defaultUpdateDelay      = 10 * time.Millisecond
)
