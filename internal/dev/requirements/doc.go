// Package requirements checks the table of package requirement against the repository: rows are proven by tests that
// name them, what they name exists, and docs/requirements.md is what the table says.
package requirements
