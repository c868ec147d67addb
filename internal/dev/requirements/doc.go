// Package requirements checks the table of package requirement against the repository: its tests exist, what it names
// exists, and docs/requirements.md is what it says.
package requirements
