package gotype

import "go/types"

// Once has names that are collected only once for all servers, so that looking for one does not get slower with the
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

// namesInFiles returns the names of imports in the files of a package, and names that they bring in with a dot. If
// several files have a name, the first one counts.
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
