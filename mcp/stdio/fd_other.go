//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package stdio

import (
	"io"
	"os"
)

// takeOver returns the streams that the process started with, and redirects the variable os.Stdout, which is what Go
// code uses. The streams themselves stay open after Close, as on other systems.
func takeOver(bool) (in io.Reader, out io.Writer, restore func(), err error) {
	in, out = struct{ io.Reader }{os.Stdin}, struct{ io.Writer }{os.Stdout}
	return in, out, redirectVariable(), nil
}
