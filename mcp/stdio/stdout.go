package stdio

import "os"

// redirectVariable sets os.Stdout to os.Stderr. restore undoes that, unless other code has changed os.Stdout meanwhile.
func redirectVariable() (restore func()) {
	before, during := os.Stdout, os.Stderr
	os.Stdout = during
	return func() {
		if os.Stdout == during {
			os.Stdout = before
		}
	}
}
