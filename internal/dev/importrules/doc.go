// Package importrules tests the imports of every package against the table of allowed imports.
package importrules
