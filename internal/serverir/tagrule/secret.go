package tagrule

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
)

// secrets are the words of names whose values nobody should see, and pairs of words.
var secrets = []string{"password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials", "token",
	"cvv", "cvc", "apikey", "api key", "private key", "access key"}

// IsSecret reports whether the name of a value tells that it is a secret, such as password or apiKey.
func IsSecret(name string) bool {
	words := goname.Words(name)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	for i, w := range words {
		if slices.Contains(secrets, w) || i > 0 && slices.Contains(secrets, words[i-1]+" "+w) {
			return true
		}
	}
	return false
}
