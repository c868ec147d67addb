// Package output puts generated files on disk, or compares them with what is there.
//
// Nothing is written before everything is known to be writable, each file is replaced by a
// rename, and files whose bytes would not change keep their modification time. A file that
// mcpgen did not write is never overwritten.
package output
