package mcpskill_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A server with skills and apps is not linked with packages that are large, and that only a few lines would use.
func TestLinkedPackages(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", ".", "../mcpapp").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"regexp", "net", "text/template", "go/ast"} {
		if strings.Contains("\n"+string(deps), "\n"+heavy+"\n") {
			t.Errorf("package %s is linked", heavy)
		}
	}
}
