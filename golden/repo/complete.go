package repo

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/mcpgen/mcpgen/mcp"
)

// CompleteRef proposes HEAD, branches and tags.
//
//mcp:complete of=File,Tree,Root var=ref
func (r *Repo) CompleteRef(ctx context.Context, prefix string) ([]string, error) {
	g, err := r.open()
	if err != nil {
		return nil, err
	}
	all, err := refs(g)
	names := keep(nil, prefix, "HEAD")
	for _, ref := range all {
		names = keep(names, prefix, ref.Name)
	}
	return names, err
}

// CompleteFile proposes files of a ref, folder by folder: a folder ends in a slash.
//
//mcp:complete of=File var=path
func (r *Repo) CompleteFile(ctx context.Context, prefix, ref string) ([]string, error) {
	return r.below(prefix, ref, func(name string, dir bool) string {
		if dir {
			return name + "/"
		}
		return name
	})
}

// CompleteTree proposes folders of a ref.
//
//mcp:complete of=Tree var=path
func (r *Repo) CompleteTree(ctx context.Context, prefix, ref string) ([]string, error) {
	return r.below(prefix, ref, func(name string, dir bool) string {
		if dir {
			return name
		}
		return ""
	})
}

// below returns what shape makes of the names that start with prefix, in the folder that prefix leads to.
// Without a ref it is HEAD that is looked at.
func (r *Repo) below(prefix, ref string, shape func(name string, dir bool) string) ([]string, error) {
	if ref == "" {
		ref = "HEAD"
	}
	tree, err := r.tree(ref)
	dir := path.Dir(prefix + "x")
	if err == nil && dir != "." {
		tree, err = tree.Tree(dir)
		err = notFound(err)
	}
	if errors.Is(err, mcp.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range tree.Entries {
		if name := shape(path.Join(dir, e.Name), e.Mode == filemode.Dir); name != "" && e.Mode != filemode.Submodule {
			names = keep(names, prefix, name)
		}
	}
	return names, nil
}

// keep appends name if it starts with prefix.
func keep(names []string, prefix, name string) []string {
	if strings.HasPrefix(name, prefix) {
		return append(names, name)
	}
	return names
}
