package nearmiss

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// renamed are the directives that had other names once.
var renamed = map[string]string{"life": "availability"}

// WithChoices adds the choices to a diagnostic about the name of a directive.
func WithChoices(d *diag.Diagnostic, name string) {
	if near := cmp.Or(renamed[name], directive.Nearest(name, directive.Names())); near != "" {
		d.Fix = fmt.Sprintf("did you mean `%s`?", near)
	} else {
		d.Hint = "directives: " + strings.Join(directive.Names(), " ")
	}
}

// MeantName is the directive that a machine may write in the place of name; "" if there is none.
func MeantName(name string) string {
	return cmp.Or(renamed[name], directive.Meant(name, directive.Names()))
}
