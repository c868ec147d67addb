package feature

// Kind is one kind of features.
type Kind uint8

const (
	KindResource Kind = iota
	KindTool
	KindPrompt

	NumKinds
)
