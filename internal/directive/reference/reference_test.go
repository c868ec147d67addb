package reference

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// The reference shows the function of each directive that stands on functions and makes a feature.
func TestFormsAreOfDirectives(t *testing.T) {
	for name := range functions {
		if directive.Lookup(name) == nil {
			t.Errorf("a form for %q, which is no directive", name)
		}
	}
	for _, v := range directive.Definitions() {
		if v.Primary && v.On&directive.OnFunc != 0 && functions[v.Name] == nil {
			t.Errorf("the reference does not say what the function of %s looks like", v.Name)
		}
	}
}
