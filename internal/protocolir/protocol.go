package protocolir

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merge"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/record"
	"github.com/mcpgen/mcpgen/schema"
)

// Tables are the hand-written tables beside the schemas, and the record of the names and types that were generated
// before.
type Tables struct {
	Exceptions *schema.Exceptions
	Docs       *schema.Docs
	API        *schema.API
}

// Result is a merged protocol.
type Result struct {
	Protocol *ir.Protocol
	API      *schema.API // what it gives: the record with what this set of schemas adds
	Warnings []error     // what had to be kept as untyped JSON and what is not documented
	Notes    []Note      // what the rule for later revisions has decided
}

// Note describes a decision of the merge. Nobody has to act upon it.
type Note = merged.Note

// Protocol merges schemas of different revisions into the IR of the protocol. If all revisions of the record are among
// them, the result must have all that the record has; else it returns an error that lists what is missing.
func Protocol(schemas []*schema.Schema, t Tables) (*Result, error) {
	schemas, err := inOrder(schemas)
	if err != nil {
		return nil, err
	}
	if len(schemas) == 0 {
		return nil, fmt.Errorf("no schema given")
	}
	r := &Result{}
	for i, s := range schemas {
		if i > 0 && schemas[i-1].Revision == s.Revision {
			return nil, fmt.Errorf("%s and %s are both revision %s", schemas[i-1].File, s.File, s.Revision)
		}
		for _, w := range s.Warnings {
			r.Warnings = append(r.Warnings, w)
		}
	}
	b := newCore(schemas, t)
	r.Protocol = b.build()
	r.Notes = b.Notes
	for _, w := range b.Warnings {
		r.Warnings = append(r.Warnings, w)
	}
	for _, u := range b.unset() {
		r.Warnings = append(r.Warnings, u)
	}
	return r, b.finish(r, exceptionsFile, "schema/docs.json")
}

// inOrder returns schemas, oldest first. It refuses more than fit into one set.
func inOrder(schemas []*schema.Schema) ([]*schema.Schema, error) {
	if len(schemas) > maxRevisions {
		return nil, fmt.Errorf("%d schemas given; at most %d fit into one set of revisions", len(schemas), maxRevisions)
	}
	return schema.OldestFirst(schemas), nil
}

// exceptionsFile names the table of the core.
const exceptionsFile = "schema/exceptions.json"

// newCore merges schemas of the core, oldest first.
func newCore(schemas []*schema.Schema, t Tables) *builder {
	m := merge.Run(schemas, merge.Options{Exceptions: t.Exceptions, API: t.API, File: exceptionsFile})
	return newBuilder(m, t.Exceptions, t.Docs, nil)
}

// finish adds the record and the items without a sentence to what was built. It returns what is wrong with it, in terms
// of the hand-written tables of these names.
func (b *builder) finish(r *Result, exceptions, docs string) error {
	r.API = record.Of(b.Set, r.Protocol)
	if len(b.comments.Missing) > 0 {
		r.Warnings = append(r.Warnings, &UndocumentedError{File: docs, Items: b.comments.Missing})
	}
	return errors.Join(errors.Join(b.Errs...), record.Check(b.Set, r.API, b.ex, exceptions))
}

// maxRevisions is how many revisions [ir.Revs] has bits for, less a few to spare.
const maxRevisions = 60

// UndocumentedError is the warning that some items have no doc sentence.
type UndocumentedError struct {
	File  string // where the sentences belong
	Items []schema.DocKey
}

// Error counts the items and names the first.
func (e *UndocumentedError) Error() string {
	return fmt.Sprintf("%s: warning: no sentence for %d items, the first is %s", e.File, len(e.Items), e.Items[0])
}
