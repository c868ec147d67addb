package protocolgen

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// checkRecord returns all errors of checkRevisions for the protocol, and of checkExtensions if extensions is set.
func checkRecord(api *schema.API, schemas []*schema.Schema, extensions bool) error {
	err := checkRevisions(coreFolder, api, schemas)
	if extensions {
		err = errors.Join(err, checkExtensions(api))
	}
	return err
}

// checkRevisions refuses committed schemas of which one is gone that the record has: what it gave would leave the
// record without a word. folder has the schemas.
func checkRevisions(folder string, api *schema.API, schemas []*schema.Schema) error {
	var problems []error
	for _, date := range slices.Concat(api.Founding, api.Added) {
		if !slices.ContainsFunc(schemas, func(s *schema.Schema) bool { return s.Revision == date }) {
			problems = append(problems, fmt.Errorf("%s%s.json is gone, and schema/api.json has what its revision gave, "+
				"which stays: bring the file back, beside which newer ones stand", folder, date))
		}
	}
	return errors.Join(problems...)
}

// checkExtensions is checkRevisions for the committed extensions.
func checkExtensions(api *schema.API) error {
	list, err := schema.EmbeddedExtensions()
	if err != nil {
		return err
	}
	var problems []error
	for _, id := range slices.Sorted(maps.Keys(api.Extensions)) {
		folder := extensionTables(schema.ShortOf(id))
		i := slices.IndexFunc(list, func(e *schema.Extension) bool { return e.ID == id })
		if i >= 0 {
			problems = append(problems, checkRevisions(folder, api.Extensions[id], list[i].Versions))
			continue
		}
		problems = append(problems, fmt.Errorf("%s is gone, and schema/api.json has what the package of %s gave, which "+
			"stays: bring the folder back, or take %q out of \"extensions\" of schema/api.json if nobody has that package",
			folder[:len(folder)-1], id, id))
	}
	return errors.Join(problems...)
}

// extensionTables is the folder of an extension's schemas and tables.
func extensionTables(short string) string { return coreFolder + "ext/" + short + "/" }
