// Package vault is an example of a server that is not for everybody: letters of several owners, and tools that
// need more rights than reading.
//
//mcp:server name=vault version=1.0.0 title=Vault
//mcp:access scopes=vault
//mcp:limit timeout=30s
//mcp:use Trace
package vault

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Vault keeps letters by owner and name.
type Vault struct {
	// Admins may read everything.
	Admins []string

	mu      sync.Mutex
	letters map[string]string // by owner/name
	locked  map[string]bool   // owners who are locked out
}

// Rules are for everybody, also for those who may not come in.
//
//mcp:resource uri=vault:///rules mime=text/plain
//mcp:access none
//mcp:allow MCP703 says nothing about anybody
//mcp:cache ttl=1h scope=public
const Rules = "Ask the office for a key."

// Own lets owners at what is theirs, unless they are locked out.
func (v *Vault) Own(_ context.Context, who mcp.Caller, owner string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if who.Subject != owner && !slices.Contains(v.Admins, who.Subject) || v.locked[who.Subject] {
		return errors.New("not the owner")
	}
	return nil
}

// Admin lets in those who look after the vault.
func (v *Vault) Admin(_ context.Context, who mcp.Caller) error {
	if !slices.Contains(v.Admins, who.Subject) {
		return mcp.Errorf("ask an administrator")
	}
	return nil
}

// Letter is a letter of its owner.
//
//mcp:resource uri=vault:///letters/{owner}/{name} mime=text/plain subscribe
//mcp:alias uri=vault:///of/{name}/by/{owner}
//mcp:access policy=Own
//mcp:var name complete=list
func (v *Vault) Letter(_ context.Context, owner, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text, ok := v.letters[owner+"/"+name]
	if !ok {
		return "", mcp.ErrNotFound
	}
	return text, nil
}

// ListLetters lists all letters; everybody sees their own.
//
//mcp:list of=Letter changes
func (v *Vault) ListLetters(context.Context) iter.Seq2[LetterRef, error] {
	v.mu.Lock()
	names := slices.Sorted(maps.Keys(v.letters))
	v.mu.Unlock()
	return func(yield func(LetterRef, error) bool) {
		for _, key := range names {
			owner, name, _ := strings.Cut(key, "/")
			if !yield(LetterRef{Owner: owner, Name: name}, nil) {
				return
			}
		}
	}
}

// Journal says how many letters there are.
//
//mcp:resource uri=vault:///journal mime=text/plain subscribe
//mcp:access anyscope=vault.audit,vault.admin
func (v *Vault) Journal(context.Context) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fmt.Sprintf("%d letters", len(v.letters)), nil
}

// WriteIn is a letter.
type WriteIn struct {
	// Name of the letter.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// What it says.
	Text string `json:"text"`
}

// WriteOut says where the letter is.
type WriteOut struct {
	// Who has written it.
	Owner string `json:"owner"`
	// Name of the letter.
	Name string `json:"name"`
}

// Write stores a letter of the caller.
//
//mcp:tool updates=vault:///letters/{owner}/{name},vault:///journal
//mcp:access scopes=vault.write
//mcp:limit rate=2/m burst=2
func (v *Vault) Write(_ context.Context, in WriteIn, who mcp.Caller) (WriteOut, error) {
	v.put(who.Subject, in.Name, in.Text)
	return WriteOut{Owner: who.Subject, Name: in.Name}, nil
}

func (v *Vault) put(owner, name, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.letters == nil {
		v.letters = map[string]string{}
	}
	v.letters[owner+"/"+name] = text
}

// Inventory names the letters without their texts, to those who keep or check them.
//
//mcp:tool readonly
//mcp:access roles=keeper,auditor hide=false
func (v *Vault) Inventory(context.Context) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(v.letters)), "\n"), nil
}

// Keepers says who keeps the letters, to them alone.
//
//mcp:resource uri=vault:///keepers mime=text/plain subscribe
//mcp:allow MCP503 the test reports the changes
//mcp:access roles=keeper
func Keepers(_ context.Context, who mcp.Caller) (string, error) { return who.Subject, nil }

// LockIn is who is meant.
type LockIn struct {
	// Who may not come in any more.
	Owner string `json:"owner"`
}

// Lock keeps somebody from their letters. Everybody knows of it, and administrators may do it.
//
//mcp:tool
//mcp:access policy=Admin hide=false
func (v *Vault) Lock(_ context.Context, in LockIn) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.locked == nil {
		v.locked = map[string]bool{}
	}
	v.locked[in.Owner] = true
	return in.Owner + " is locked out", nil
}

// Search looks for a text in all letters, for too long.
//
//mcp:tool readonly
//mcp:limit timeout=2s concurrency=1
func (v *Vault) Search(context.Context) (string, error) {
	time.Sleep(time.Minute)
	return "nothing", nil
}

// Export returns all letters of the caller, if they are few.
//
//mcp:tool readonly
//mcp:limit bytes=100
func (v *Vault) Export(_ context.Context, who mcp.Caller) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []string
	for key, text := range v.letters {
		if strings.HasPrefix(key, who.Subject+"/") {
			all = append(all, text)
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n"), nil
}

// Reply drafts the reply to a letter.
//
//mcp:prompt
//mcp:access policy=Own
func (v *Vault) Reply(ctx context.Context, owner, name string) (string, error) {
	text, err := v.Letter(ctx, owner, name)
	return "Write a reply to this letter: " + text, err
}
