// Package reduced reads revisions that are written as what they change of a committed one.
package reduced

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Revision is a committed revision with other definitions.
type Revision struct {
	Base        string                     `json:"base"`    // the committed one
	Removed     []string                   `json:"removed"` // definitions of it that are gone
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// Read reads a file.
func Read(file string) (*Revision, error) {
	r := &Revision{}
	return r, ReadJSON(file, r)
}

// Schema puts the changes on the base, whose facts are in a folder.
func (r *Revision) Schema(folder string) ([]byte, error) {
	var base struct {
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := ReadJSON(filepath.Join(folder, r.Base+".json"), &base); err != nil {
		return nil, err
	}
	defs := base.Defs
	if defs == nil {
		defs = base.Definitions
	}
	for _, gone := range r.Removed {
		if defs[gone] == nil {
			return nil, fmt.Errorf("%s is removed, which %s does not have", gone, r.Base)
		}
		delete(defs, gone)
	}
	maps.Copy(defs, r.Definitions)
	return json.Marshal(map[string]any{"$defs": defs})
}

// ReadJSON reads a file with definitions. Older schemas say definitions where newer ones say $defs.
func ReadJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), `"#/definitions/`, `"#/$defs/`)), into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
