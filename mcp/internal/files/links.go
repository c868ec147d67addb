package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is the largest number of links that resolve follows in one path.
const maxLinks = 40

// resolve follows the links in a path below a root. It returns the path without links, and the FileInfo of the file
// there. The error is fs.ErrNotExist for a link that leads out of the root or is absolute, and for a name that begins
// with a dot, also if only a link leads to it.
func resolve(root *os.Root, path string) (string, fs.FileInfo, error) {
	if path == "." {
		info, err := root.Lstat(path)
		return path, info, err
	}
	rest := strings.Split(path, "/")
	found, links := "", 0
	for {
		name := rest[0]
		rest = rest[1:]
		switch {
		case name == "" || name == ".":
		case name == "..":
			if found == "" {
				return "", nil, fs.ErrNotExist
			}
			found = found[:max(strings.LastIndexByte(found, '/'), 0)]
		case name[0] == '.':
			return "", nil, fs.ErrNotExist
		default:
			found = strings.TrimPrefix(found+"/"+name, "/")
			info, err := root.Lstat(found)
			switch {
			case err != nil:
				return "", nil, err
			case info.Mode()&fs.ModeSymlink == 0:
				if len(rest) == 0 {
					return found, info, nil
				}
				continue
			}
			target, err := root.Readlink(found)
			if links++; err != nil || links > maxLinks || filepath.IsAbs(target) {
				return "", nil, fs.ErrNotExist
			}
			rest = slices.Concat(strings.Split(filepath.ToSlash(target), "/"), rest)
			found = found[:max(strings.LastIndexByte(found, '/'), 0)]
		}
		if len(rest) == 0 {
			if found == "" {
				found = "."
			}
			info, err := root.Lstat(found)
			return found, info, err
		}
	}
}
