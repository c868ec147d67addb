package repo

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/mcpgen/mcpgen/mcp"
)

// Repo is a git repository on disk. It is safe for concurrent use.
type Repo struct {
	dir string
}

// Open returns the repository of a working copy, or a bare one.
func Open(dir string) (*Repo, error) {
	r := &Repo{dir}
	_, err := r.open()
	return r, err
}

// open opens the repository for one request: go-git remembers which packs there are, and its objects are not
// made for several goroutines.
func (r *Repo) open() (*git.Repository, error) {
	return git.PlainOpenWithOptions(r.dir, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
}

// notFound turns what go-git says about missing things into mcp.ErrNotFound.
func notFound(err error) error {
	for _, missing := range []error{
		plumbing.ErrObjectNotFound, plumbing.ErrReferenceNotFound, object.ErrFileNotFound, object.ErrDirectoryNotFound,
		object.ErrEntryNotFound,
	} {
		if errors.Is(err, missing) {
			return mcp.ErrNotFound
		}
	}
	return err
}

// resolve returns the commit that a ref means: HEAD, a branch, a tag, or the hash of a commit.
// The rest of what git calls a revision is left out, because some of it searches the whole history.
func resolve(g *git.Repository, ref string) (*object.Commit, error) {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/", ""} {
		if prefix == "" && ref != "HEAD" {
			continue
		}
		found, err := g.Reference(plumbing.ReferenceName(prefix+ref), true)
		if err == nil {
			return commitOf(g, found.Hash())
		}
	}
	if !plumbing.IsHash(ref) {
		return nil, mcp.ErrNotFound
	}
	return commitOf(g, plumbing.NewHash(ref))
}

// commitOf returns the commit with a hash, or the one that the annotated tag with this hash is for.
func commitOf(g *git.Repository, hash plumbing.Hash) (*object.Commit, error) {
	if tag, err := g.TagObject(hash); err == nil {
		c, err := tag.Commit()
		return c, notFound(err)
	}
	c, err := g.CommitObject(hash)
	return c, notFound(err)
}

// tree returns the tree of the commit that a ref means.
func (r *Repo) tree(ref string) (*object.Tree, error) {
	g, err := r.open()
	if err != nil {
		return nil, err
	}
	c, err := resolve(g, ref)
	if err != nil {
		return nil, err
	}
	return c.Tree()
}

// refs returns the branches and tags by name.
func refs(g *git.Repository) ([]RefInfo, error) {
	list := []RefInfo{}
	all, err := g.References()
	if err != nil {
		return nil, err
	}
	err = all.ForEach(func(ref *plumbing.Reference) error {
		if ref.Type() != plumbing.HashReference {
			return nil
		}
		kind := "branch"
		switch name := ref.Name(); {
		case name.IsTag():
			kind = "tag"
		case name.IsRemote():
			kind = "remote"
		case !name.IsBranch():
			return nil
		}
		c, err := commitOf(g, ref.Hash())
		if errors.Is(err, mcp.ErrNotFound) {
			return nil // a tag of something that is no commit
		}
		if err != nil {
			return err
		}
		list = append(list, RefInfo{Name: ref.Name().Short(), Kind: kind, Commit: Hash(c.Hash.String())})
		return nil
	})
	slices.SortFunc(list, func(a, b RefInfo) int { return strings.Compare(a.Kind+" "+a.Name, b.Kind+" "+b.Name) })
	return list, err
}

// commitInfo describes a commit.
func commitInfo(ctx context.Context, c *object.Commit) (*CommitInfo, error) {
	info := &CommitInfo{
		Hash: Hash(c.Hash.String()), Author: c.Author.Name + " <" + c.Author.Email + ">", When: c.Author.When.UTC(),
		Message: c.Message,
		Parents: []Hash{}, Changed: []string{},
	}
	for _, p := range c.ParentHashes {
		info.Parents = append(info.Parents, Hash(p.String()))
	}
	changes, err := changesOf(ctx, c)
	for _, change := range changes {
		info.Changed = append(info.Changed, cmp.Or(change.To.Name, change.From.Name))
	}
	slices.Sort(info.Changed)
	return info, err
}

// changesOf compares a commit with its first parent, or with nothing.
func changesOf(ctx context.Context, c *object.Commit) (object.Changes, error) {
	to, err := c.Tree()
	if err != nil {
		return nil, err
	}
	if c.NumParents() == 0 {
		return object.DiffTreeContext(ctx, nil, to)
	}
	parent, err := c.Parent(0)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, nil // the history of a shallow clone ends here
	}
	if err != nil {
		return nil, err
	}
	from, err := parent.Tree()
	if err != nil {
		return nil, err
	}
	return object.DiffTreeContext(ctx, from, to)
}

// subject returns the first line of a message.
func subject(c *object.Commit) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return line
}

// entries describes what is in a tree, which is at dir of a ref.
func entries(tree *object.Tree, ref, dir string) []Entry {
	list := []Entry{}
	for _, e := range tree.Entries {
		entry := Entry{Name: e.Name}
		at := path.Join(dir, e.Name)
		switch e.Mode {
		case filemode.Dir:
			entry.Kind, entry.URI = "tree", TreeURI(ref, at)
		case filemode.Submodule:
			entry.Kind = "module"
		case filemode.Symlink:
			entry.Kind, entry.URI = "link", FileURI(ref, at)
		default:
			entry.Kind, entry.URI = "file", FileURI(ref, at)
		}
		list = append(list, entry)
	}
	return list
}

// content reads a file.
func content(f *object.File) (mcp.Content, error) {
	text, err := f.Contents()
	if err != nil {
		return mcp.Content{}, err
	}
	binary, err := f.IsBinary()
	if binary {
		return mcp.Content{Blob: []byte(text), MIMEType: cmp.Or(mimeOf(f.Name), "application/octet-stream")}, err
	}
	return mcp.Content{Text: text, MIMEType: cmp.Or(mimeOf(f.Name), "text/plain")}, err
}

// mimeOf guesses a media type from a name, or returns "". The tables of the machine would give another answer
// elsewhere.
func mimeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md":
		return "text/markdown"
	case ".go":
		return "text/x-go"
	case ".json":
		return "application/json"
	case ".png":
		return "image/png"
	case ".gif":
		return "image/gif"
	}
	return ""
}
