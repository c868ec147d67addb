package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
)

// prepared holds what is encoded once for each revision, because it never changes.
type prepared struct {
	initialize era.Lazy[protocol.Prepared]
	discover   era.Lazy[protocol.Prepared]
	fixed      []era.Lazy[protocol.Prepared] // by index in Features.Resources
}

// listTopic is the topic of changes of the list of k.
func listTopic(k feature.Kind) pubsub.Kind { return pubsub.ResourceList + pubsub.Kind(k) }

// extensionList is the topic of the list of an extension.
const extensionList = pubsub.ResourceList + pubsub.Kind(feature.NumKinds)

// kindOf is the kind with that topic.
func kindOf(list pubsub.Kind) feature.Kind { return feature.Kind(list - pubsub.ResourceList) }
