// Package schema reads the JSON schema of the Model Context Protocol, one file per
// revision, into a small model with a source position on every node.
//
// The committed <revision>.json files hold facts only: names, types and constants of the
// official schema, with every piece of prose removed ([Import] makes them). What the
// facts do not say is written by hand beside them: exceptions.json decides the few points
// that cannot be computed, docs.json has the doc sentences of the generated types.
//
// Order of the pipeline: [Parse] reads an official or a facts file, [Embedded] returns
// the committed set, package protocolir merges the revisions.
package schema
