package keys_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/keys"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// sealer seals by naming the purpose.
type sealer struct{}

func (sealer) Seal(plain, purpose []byte) []byte { return append(append(purpose, 0), plain...) }

func (sealer) Open(sealed, purpose []byte) ([]byte, error) {
	before, plain, _ := bytes.Cut(sealed, []byte{0})
	if !bytes.Equal(before, purpose) {
		return nil, errors.New("sealed for another purpose")
	}
	return plain, nil
}

// A new secret signs at once, and the one before signs too until the rotation is over.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &event.Subscription{ID: "s"}
		renew := func(secret string) {
			if err := keys.Renew(sealer{}, s, sign.Secret(secret), time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		want := func(secrets ...string) {
			t.Helper()
			got, err := keys.Open(sealer{}, s)
			if err != nil || len(got) != len(secrets) {
				t.Fatalf("%d secrets, %v, want %q", len(got), err, secrets)
			}
			for i := range got {
				if string(got[i]) != secrets[i] {
					t.Errorf("secret %d is %q, want %q", i, []byte(got[i]), secrets[i])
				}
			}
		}
		renew("first")
		want("first")
		renew("second")
		want("second", "first")
		time.Sleep(30 * time.Second)
		renew("second") // a refresh with the same secret does not begin the rotation again
		time.Sleep(29 * time.Second)
		want("second", "first")
		time.Sleep(time.Second)
		want("second")
	})
}

// The secrets of one subscription are those of no other. Those that cannot be opened are replaced.
func TestSecretsBelongToOneSubscription(t *testing.T) {
	s := &event.Subscription{ID: "s"}
	if err := keys.Renew(sealer{}, s, sign.Secret("first"), time.Minute); err != nil {
		t.Fatal(err)
	}
	s.ID = "other"
	if _, err := keys.Open(sealer{}, s); err == nil {
		t.Error("opened for another subscription")
	}
	if err := keys.Renew(sealer{}, s, sign.Secret("second"), time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, err := keys.Open(sealer{}, s); err != nil || len(got) != 1 || string(got[0]) != "second" {
		t.Errorf("%q, %v", got, err)
	}
}
