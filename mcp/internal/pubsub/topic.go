package pubsub

// Kind is a kind of topic.
type Kind uint8

// The kinds that the package knows. Further lists have the numbers behind ResourceList, which the caller
// names.
const (
	// Resource is the kind of topics that are one resource.
	Resource Kind = iota
	// ResourceList is the list of resources. It changes for a client that may not see a resource any more.
	ResourceList
)

// maxKinds bounds the numbers of lists.
const maxKinds = 16

// Topic is what clients subscribe to: one resource, or one list.
type Topic struct {
	Kind Kind
	URI  string // of a Resource, in one of its spellings; else ""
}

// key is the identity of a resource, from a Keyer.
type key struct {
	resource int
	text     string
}
