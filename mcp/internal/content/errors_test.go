package content

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestPublicErrors(t *testing.T) {
	if Public(nil) != nil {
		t.Error("no error became one")
	}
	err := Errorf("read: %w", fs.ErrPermission)
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "read: permission denied" {
		t.Errorf("got %v", err)
	}
	if !errors.Is(NotFound("a:b"), ErrNotFound) || !strings.Contains(NotFound("a:b").Error(), "a:b") {
		t.Errorf("got %v", NotFound("a:b"))
	}
}
