// Package files serves the files below a root.
//
// [Files] has the root of a template, an os.Root, so that no path and no link leads out of it. [Files.Read] opens one
// file, no larger than the server allows. [Walk] lists all files, directory by directory, in the order of their names.
// A page begins behind the last path of the previous page; the names in a large directory are kept for a minute, so
// that not every page reads the directory again. The package knows no server: it makes contents and references.
package files
