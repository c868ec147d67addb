// Package files serves the files below a root.
//
// [Files] is a template's root, an os.Root, so that no path and no link leads out of it. [Files.Read] opens one file,
// no larger than the server allows, and [Walk] lists them all, directory by directory, in the order of their names. A
// page goes on behind the last path of the page before; the names of a large directory are kept for a minute, so that
// its pages do not read it again and again. The package knows no server: it makes contents and references.
package files
