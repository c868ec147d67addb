package schema

import (
	"strings"
	"testing"
)

// An extension whose package could not be written or imported is refused.
func TestCheckIdentifierRefusesWhatIsNoPackage(t *testing.T) {
	for _, id := range []string{"com.example/map", "com.example/type", "com.example/main", "com.example/internal"} {
		if err := CheckIdentifier(id); err == nil || !strings.Contains(err.Error(), id) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if err := CheckIdentifier("com.example/maps"); err != nil {
		t.Error(err)
	}
}
