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

// switches say which features are off, by their places.
type switches [numKinds][]atomic.Bool

// The lists whose changes clients can subscribe to.
const (
	resourceList = pubsub.ResourceList
	toolList     = pubsub.OtherList
	promptList   = pubsub.OtherList + 1
)
