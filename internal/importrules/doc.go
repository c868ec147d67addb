// Package importrules holds a test: it compares the imports of every package with who may import whom.
package importrules
