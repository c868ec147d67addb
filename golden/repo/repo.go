// Package repo serves a git repository: its refs and commits, and the trees and files of each of them.
//
//mcp:server name=repo version=1.0.0 title="Git repository" astools=typed instructions="Files are git:///files/{ref}/{+path}, where ref is a branch, a tag, HEAD or a commit; read git:///refs for what there is."
package repo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Hash is the full name of a commit, 40 hexadecimal digits.
type Hash string

var errHash = mcp.Public(errors.New("want the 40 hexadecimal digits of a commit"))

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	if !plumbing.IsHash(string(text)) {
		return errHash
	}
	*h = Hash(plumbing.NewHash(string(text)).String())
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h), nil }

// RefInfo is a branch or a tag, and where it points to.
type RefInfo struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Commit Hash   `json:"commit"`
}

// CommitInfo is what a commit says about itself.
type CommitInfo struct {
	Hash    Hash      `json:"hash"`
	Author  string    `json:"author"`
	When    time.Time `json:"when"`
	Message string    `json:"message"`
	Parents []Hash    `json:"parents"`
	// Changed are the paths that differ from the first parent.
	Changed []string `json:"changed"`
}

// Entry is something in a tree.
type Entry struct {
	Name string `json:"name"`
	// Kind is file, tree, link or module.
	Kind string `json:"kind"`
	// URI of a file or tree.
	URI string `json:"uri,omitempty"`
}

// Refs lists the branches and tags, and the commits that they point to.
//
//mcp:resource uri=git:///refs subscribe poll=2s
func (r *Repo) Refs(ctx context.Context) ([]RefInfo, error) {
	g, err := r.open()
	if err != nil {
		return nil, err
	}
	return refs(g)
}

// Commit returns a commit and the paths that it changed.
//
//mcp:resource uri=git:///commits/{hash}
//mcp:var hash complete=list example=4b825dc642cb6eb9a060e54bf8d69288fbee4904
//mcp:cache ttl=24h
func (r *Repo) Commit(ctx context.Context, hash Hash) (*CommitInfo, error) {
	g, err := r.open()
	if err != nil {
		return nil, err
	}
	c, err := g.CommitObject(plumbing.NewHash(string(hash)))
	if err != nil {
		return nil, notFound(err)
	}
	return commitInfo(ctx, c)
}

// ListCommits lists the commits that HEAD is made of, the newest first.
//
//mcp:list of=Commit page=50
func (r *Repo) ListCommits(ctx context.Context) iter.Seq2[CommitRef, error] {
	return func(yield func(CommitRef, error) bool) {
		g, err := r.open()
		if err != nil {
			yield(CommitRef{}, err)
			return
		}
		commits, err := g.Log(&git.LogOptions{Order: git.LogOrderCommitterTime})
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return // nothing is committed yet
		}
		if err != nil {
			yield(CommitRef{}, err)
			return
		}
		err = commits.ForEach(func(c *object.Commit) error {
			ref := CommitRef{Hash: Hash(c.Hash.String())}
			ref.Title, ref.Modified = subject(c), c.Committer.When
			if !yield(ref, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(CommitRef{}, err)
		}
	}
}

// Root returns the entries at the top of a commit.
//
//mcp:resource uri=git:///trees/{ref} list=none
func (r *Repo) Root(ctx context.Context, ref string) ([]Entry, error) {
	return r.Tree(ctx, ref, "")
}

// Tree returns the entries of a folder.
//
//mcp:resource uri=git:///trees/{ref}/{+path} list=none
func (r *Repo) Tree(ctx context.Context, ref, path string) ([]Entry, error) {
	tree, err := r.tree(ref)
	if err != nil {
		return nil, err
	}
	if path != "" {
		if tree, err = tree.Tree(path); err != nil {
			return nil, notFound(err)
		}
	}
	return entries(tree, ref, path), nil
}

// maxFile is the length of the longest file that is served.
const maxFile = 4 << 20

// File returns a file as it is in a commit: text, or bytes if it is binary.
//
//mcp:resource uri=git:///files/{ref}/{+path}
func (r *Repo) File(ctx context.Context, ref, path string) (mcp.Content, error) {
	tree, err := r.tree(ref)
	if err != nil {
		return mcp.Content{}, err
	}
	f, err := tree.File(path)
	if err != nil {
		return mcp.Content{}, notFound(err)
	}
	if f.Size > maxFile {
		return mcp.Content{}, mcp.Public(fmt.Errorf("the file has %d bytes, at most %d are served", f.Size, maxFile))
	}
	return content(f)
}

// ListFiles lists the files of HEAD.
//
//mcp:list of=File page=200
func (r *Repo) ListFiles(ctx context.Context) iter.Seq2[FileRef, error] {
	return func(yield func(FileRef, error) bool) {
		tree, err := r.tree("HEAD")
		if errors.Is(err, mcp.ErrNotFound) {
			return // nothing is committed yet
		}
		if err != nil {
			yield(FileRef{}, err)
			return
		}
		err = tree.Files().ForEach(func(f *object.File) error {
			ref := FileRef{Ref: "HEAD", Path: f.Name}
			ref.Size, ref.MIMEType = &f.Size, mimeOf(f.Name)
			if !yield(ref, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(FileRef{}, err)
		}
	}
}

// errStop ends a loop of go-git.
var errStop = errors.New("stop")
