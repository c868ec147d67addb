package desk_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/webhook/desk"
)

// A prefix of trusted callbacks is an unambiguous folder of an origin.
func TestCheckTrusted(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://hooks.example.com/in/":    true,
		"https://hooks.example.com/":       true,
		"http://127.0.0.1:8080/in/":        true,
		"https://hooks.example.com/in":     false,
		"https://hooks.example.com":        false,
		"https://hooks.example.com/a/../":  false,
		"https://hooks.example.com/a//":    false,
		"https://hooks.example.com/%69n/":  false,
		"https://ann@hooks.example.com/":   false,
		"https://hooks.example.com/in/?x=": false,
		"ftp://hooks.example.com/in/":      false,
		"/in/":                             false,
	} {
		if err := desk.CheckTrusted(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
