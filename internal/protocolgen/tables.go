package protocolgen

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
)

// isFault reports whether a warning is an error for the committed schemas.
func isFault(w error) bool {
	_, undocumented := errors.AsType[*protocolir.UndocumentedError](w)
	_, unset := errors.AsType[*protocolir.UnsetError](w)
	return undocumented || unset
}

func outlineOf(docs *schema.Docs, warnings []error) ([]byte, error) {
	for _, w := range warnings {
		if undocumented, ok := errors.AsType[*protocolir.UndocumentedError](w); ok {
			return docs.Outline(undocumented.Items)
		}
	}
	return nil, nil
}

// lines lists items below a sentence.
func lines(items []schema.DocKey) string {
	var b strings.Builder
	for _, k := range items {
		b.WriteString("\n\t" + k.String())
	}
	return b.String()
}

// coreFolder has the committed schemas and the tables beside them.
const coreFolder = "schema/"

// checkTables refuses hand-written tables that do not fit the committed schemas.
func checkTables(folder string, ex *schema.Exceptions, docs *schema.Docs, warnings []error) error {
	var problems []error
	for _, w := range warnings {
		if unset, ok := errors.AsType[*protocolir.UnsetError](w); ok {
			problems = append(problems, errors.New(strings.Replace(unset.Error(), "warning: ", "error: ", 1)))
		}
		if undocumented, ok := errors.AsType[*protocolir.UndocumentedError](w); ok {
			hint := "mcpgen protocol -outline adds them with empty sentences, which are to be written"
			if folder != coreFolder {
				hint = "they are to be written"
			}
			problems = append(problems, fmt.Errorf("%sdocs.json: no sentence for %d items; %s:%s",
				folder, len(undocumented.Items), hint, lines(undocumented.Items)))
		}
	}
	if list := ex.Unused(); len(list) > 0 {
		problems = append(problems, fmt.Errorf("%sexceptions.json: entries that apply to nothing: %s", folder,
			strings.Join(list, ", ")))
	}
	if list := docs.Unused(); len(list) > 0 {
		problems = append(problems, fmt.Errorf("%sdocs.json: entries that document nothing: %s", folder,
			strings.Join(list, ", ")))
	}
	return errors.Join(problems...)
}
