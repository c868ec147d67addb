// Package output puts generated files on disk, or compares them with what is there.
//
// All files are written beside their places before the first is put into its place by a rename, and files whose bytes
// would not change keep their modification time. A file that mcpgen did not write is never overwritten. What a run
// leaves that was killed, the next one removes.
package output
