package directive

import (
	"fmt"
	"regexp"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// labelForm is one label of a domain name.
const labelForm = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?`

var (
	identForm = regexp.MustCompile(`^[\pL\pN_]+$`) // RFC 6570 lets a variable begin with a digit
	codeForm  = regexp.MustCompile(`^MCP[0-9]{3}$`)
	metaForm  = regexp.MustCompile(`^(` + labelForm + `\.)+` + labelForm + `/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`)
)

// IsVariable reports whether a word can be the name of a variable or of an argument.
func IsVariable(word string) bool { return identForm.MatchString(word) }

// IsCode reports whether a word looks like the id of a diagnostic.
func IsCode(word string) bool { return codeForm.MatchString(word) }

// IsMetaKey reports whether a word can be the key of an entry of _meta.
func IsMetaKey(word string) bool { return metaForm.MatchString(word) }

// notAllowed returns why a diagnostic cannot be suppressed: it does not exist, or it says that there is
// no output without a repair.
func notAllowed(id string) string {
	c, ok := diag.Find(id)
	switch {
	case !ok:
		return fmt.Sprintf("no diagnostic is called `%s`", id)
	case c.Severity == diag.Error:
		return fmt.Sprintf("`%s` is an error, and only warnings and notes can be allowed", id)
	}
	return ""
}
