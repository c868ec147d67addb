package gotype

import "go/types"

// Once are the names of what the output has once, for all servers: looking for one does not become slower with the
// size of the package.
type Once struct {
	// Decoders and Encoders are functions, and ArgTypes the types that have decoders.
	Decoders, Encoders, ArgTypes map[string]bool

	guards map[guardName]bool
	// inFiles are the names that files of the user have for themselves; nil before they are asked.
	inFiles map[string]types.Object
}

type guardName struct{ recv, name string }

func newOnce() *Once {
	return &Once{Decoders: map[string]bool{}, Encoders: map[string]bool{}, ArgTypes: map[string]bool{},
		guards: map[guardName]bool{}}
}

// namesInFiles are the names of imports, and of what they bring in with a dot. Of several files the first counts.
func namesInFiles(pkg *types.Package) map[string]types.Object {
	out := map[string]types.Object{}
	for file := range pkg.Scope().Children() {
		for _, name := range file.Names() {
			if out[name] == nil {
				out[name] = file.Lookup(name)
			}
		}
	}
	return out
}
