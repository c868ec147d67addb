package directive

import "testing"

// The reference shows the function of each directive that stands on functions and makes a feature.
func TestFormsAreOfDirectives(t *testing.T) {
	for name := range functions {
		if Lookup(name) == nil {
			t.Errorf("a form for %q, which is no directive", name)
		}
	}
	for _, v := range Definitions() {
		if v.Primary && v.On&OnFunc != 0 && functions[v.Name] == nil {
			t.Errorf("the reference does not say what the function of %s looks like", v.Name)
		}
	}
}
