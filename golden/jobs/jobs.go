// Package jobs is an archive of documents whose tools take their time: they go on as tasks, for clients that know
// tasks.
//
//mcp:server name=jobs version=1.0.0 title="Archive"
package jobs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Archive is the documents. It is safe for concurrent use.
type Archive struct {
	// Pace is how long the work on one document takes.
	Pace time.Duration

	mu        sync.Mutex
	documents []Document
}

// Document is one of them.
type Document struct {
	Name, Text string
}

// New returns an archive of documents.
func New(pace time.Duration, documents ...Document) *Archive {
	return &Archive{Pace: pace, documents: documents}
}

// all returns the documents.
func (a *Archive) all() []Document {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.documents)
}

// work takes the time for one document.
func (a *Archive) work(ctx context.Context) error {
	select {
	case <-time.After(a.Pace):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Index is what CountWords has found.
type Index struct {
	Documents int `json:"documents"`
	Words     int `json:"words"`
}

// CountWords counts the words of all documents. A run that was interrupted goes on behind the documents that it has
// counted.
//
//mcp:tool task=restart readonly closed
func (a *Archive) CountWords(ctx context.Context, call *mcp.Call) (Index, error) {
	var done Index
	if b := call.Checkpoint(); b != nil {
		if _, err := fmt.Sscan(string(b), &done.Documents, &done.Words); err != nil {
			return Index{}, err
		}
	}
	documents := a.all()
	for _, d := range documents[min(done.Documents, len(documents)):] {
		call.SetStatus("counting " + d.Name)
		if err := a.work(ctx); err != nil {
			return Index{}, err
		}
		done.Documents++
		done.Words += len(strings.Fields(d.Text))
		if err := call.SaveCheckpoint(fmt.Appendln(nil, done.Documents, done.Words)); err != nil {
			return Index{}, err
		}
	}
	return done, nil
}

// Letter is what SendLetters sends.
type Letter struct {
	// The document to send.
	Document string `json:"document"`
	// The names of those who get it.
	To []string `json:"to" jsonschema:"minItems=1"`
}

// SendLetters sends a document to people, and never twice.
//
//mcp:tool task=once destructive=false
func (a *Archive) SendLetters(ctx context.Context, in Letter) (string, error) {
	if !slices.ContainsFunc(a.all(), func(d Document) bool { return d.Name == in.Document }) {
		return "", mcp.Errorf("there is no document %q", in.Document)
	}
	for range in.To {
		if err := a.work(ctx); err != nil {
			return "", err
		}
	}
	return "sent to " + strconv.Itoa(len(in.To)), nil
}

// Consent is the answer of the user before documents are gone.
//
//mcp:form
type Consent struct {
	// Whether to delete the documents.
	Delete bool `json:"delete" jsonschema:"title=Delete"`
}

// Purge deletes the documents whose names begin with a text, after the user has agreed.
//
//mcp:tool task=restart destructive
//mcp:arg prefix minlen=1
func (a *Archive) Purge(ctx context.Context, prefix string, client mcp.Peer) (int, error) {
	consent, err := mcp.AskForm[Consent](ctx, client, "consent", "Delete all documents that begin with "+prefix+"?")
	if err != nil {
		return 0, err
	}
	if !consent.Delete {
		return 0, mcp.Errorf("the user keeps the documents")
	}
	if err := a.work(ctx); err != nil {
		return 0, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	before := len(a.documents)
	a.documents = slices.DeleteFunc(a.documents, func(d Document) bool { return strings.HasPrefix(d.Name, prefix) })
	return before - len(a.documents), nil
}

// Rebuild builds the archive again, which takes too long for a call.
//
//mcp:tool task=once task-required
func (a *Archive) Rebuild(ctx context.Context) error {
	for range a.all() {
		if err := a.work(ctx); err != nil {
			return err
		}
	}
	return nil
}
