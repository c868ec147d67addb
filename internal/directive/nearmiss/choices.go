package nearmiss

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// WithChoices adds the choices to a diagnostic about the name of a directive.
func WithChoices(d *diag.Diagnostic, name string) {
	if near := directive.Nearest(name, directive.Names()); near != "" {
		d.Fix = fmt.Sprintf("did you mean `%s`?", near)
	} else {
		d.Hint = "directives: " + strings.Join(directive.Names(), " ")
	}
}

// MeantName is the directive that a machine may write in the place of name; "" if there is none.
func MeantName(name string) string {
	return directive.Meant(name, directive.Names())
}
