//go:build !unix

package broker

import (
	"errors"
	"os"
)

func pauseProcess(*os.Process, bool) error { return errors.ErrUnsupported }
