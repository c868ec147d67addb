// Package keys keeps the secrets of webhook subscriptions, sealed with the keys of the server: in stores and in memory
// they are never plain.
package keys

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// Sealer is the part of [event.Host] that has the keys.
type Sealer interface {
	Seal(plain, purpose []byte) []byte
	Open(sealed, purpose []byte) ([]byte, error)
}

// secrets has the secrets of a subscription.
type secrets struct {
	New, Old sign.Secret
	// Until is the time until which Old signs too.
	Until time.Time
}

func purposeOf(id string) []byte { return []byte("webhook secrets of " + id) }

// Renew makes secret the secret of a subscription. If the subscription had another secret, that secret signs too for
// the time rotation.
func Renew(with Sealer, s *event.Subscription, secret sign.Secret, rotation time.Duration) error {
	next := secrets{New: secret}
	if s.Secrets != nil {
		// If the old secrets were sealed with keys that are gone, they are replaced: a refresh is the way to repair that.
		if before, err := open(with, s); err == nil {
			if bytes.Equal(before.New, secret) {
				next = before
			} else {
				next.Old, next.Until = before.New, time.Now().Add(rotation)
			}
		}
	}
	plain, err := json.Marshal(next)
	if err != nil {
		return err
	}
	s.Secrets = with.Seal(plain, purposeOf(s.ID))
	return nil
}

func open(with Sealer, s *event.Subscription) (out secrets, err error) {
	plain, err := with.Open(s.Secrets, purposeOf(s.ID))
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(plain, &out)
}

// Open returns the secrets of a subscription that sign now, the newest first.
func Open(with Sealer, s *event.Subscription) ([]sign.Secret, error) {
	has, err := open(with, s)
	if err != nil {
		return nil, err
	}
	if has.Old == nil || !time.Now().Before(has.Until) {
		return []sign.Secret{has.New}, nil
	}
	return []sign.Secret{has.New, has.Old}, nil
}
