package server

import (
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// kind is one kind of features.
type kind uint8

const (
	kindResource kind = iota
	kindTool
	kindPrompt

	numKinds
)

// state is what decides who may know of a feature.
type state struct {
	off    atomic.Bool
	served *RevisionRange
}

// states are those of all features, by their indexes.
type states [numKinds][]state

// list is the topic of changes of the list of k.
func (k kind) list() pubsub.Kind { return pubsub.ResourceList + pubsub.Kind(k) }

// kindOf is the kind with that topic.
func kindOf(list pubsub.Kind) kind { return kind(list - pubsub.ResourceList) }
