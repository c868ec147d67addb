package stdio

import "os"

// redirectVariable lets os.Stdout be os.Stderr and returns what undoes that, unless someone else changed it meanwhile.
func redirectVariable() (restore func()) {
	before, during := os.Stdout, os.Stderr
	os.Stdout = during
	return func() {
		if os.Stdout == during {
			os.Stdout = before
		}
	}
}
