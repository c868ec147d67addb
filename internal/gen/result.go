package gen

import (
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/output"
)

// Result is what one run found and made.
type Result struct {
	// Files are the outputs; nil if Diags has errors, because then nothing may be written.
	Files []output.File
	// Packages are the packages as they were understood, those that are imported first.
	Packages []*ir.GoPackage
	// Orphans are outputs of ours that nothing is written to any more.
	Orphans []string
	// Inputs are the folders and other files that the packages were read from, sorted.
	Inputs []string
	// Diags is what there is to say about the user's source.
	Diags *diag.List
	// Source returns the text of a file as it was read, for printing diagnostics.
	Source func(file string) ([]byte, error)
	// runtimeDir is the folder of the runtime that the packages import; "" if they import none.
	runtimeDir string
	// Stages are the times that the stages took, in order.
	Stages []Stage
}

// Stage is one step of the pipeline and the time it took.
type Stage struct {
	Name string
	Took time.Duration
}

func (r *Result) stage(name string, begin *time.Time) {
	now := time.Now()
	r.Stages = append(r.Stages, Stage{Name: name, Took: now.Sub(*begin)})
	*begin = now
}

// Changes returns what writing the result would change on disk: files that differ, and orphans, which
// would be removed.
func (r *Result) Changes(disk output.FileSystem) ([]output.Change, error) {
	changes, err := output.Compare(disk, r.Files, "")
	if err != nil {
		return nil, err
	}
	for _, path := range r.Orphans {
		old, err := disk.ReadFile(path)
		if err != nil {
			return nil, err
		}
		changes = append(changes, output.Change{Path: path, Old: old})
	}
	return changes, nil
}

// Write makes the disk hold the result and returns what it changed.
func (r *Result) Write(disk output.FileSystem) ([]output.Change, error) {
	changes, err := r.Changes(disk)
	if err != nil {
		return nil, err
	}
	if _, err := output.Write(disk, r.Files, ""); err != nil {
		return nil, err
	}
	for _, path := range r.Orphans {
		if err := disk.Remove(path); err != nil {
			return nil, err
		}
	}
	return changes, nil
}
