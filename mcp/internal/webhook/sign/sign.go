// Package sign makes and checks signatures of webhooks by HMAC-SHA-256, with the headers and secrets of Standard
// Webhooks.
package sign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a message.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
	// HeaderSubscription names the subscription that a message belongs to.
	HeaderSubscription = "X-Mcp-Subscription-Id"
)

// Tolerance is how far the clocks of sender and receiver may be apart.
const Tolerance = 5 * time.Minute

const (
	prefix   = "whsec_"
	version  = "v1,"
	shortest = 24 // bytes of a secret
	longest  = 64
)

// Secret is the key of a signature.
type Secret []byte

// ParseSecret reads "whsec_" and the base64 of 24 to 64 bytes, with or without padding. The error is for the client
// that sent the text, and contains nothing of the text.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(text, prefix)
	if !found {
		return nil, errors.New("the secret must begin with " + prefix)
	}
	encoding := base64.RawStdEncoding
	if strings.HasSuffix(encoded, "=") {
		encoding = base64.StdEncoding
	}
	s, err := encoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return nil, errors.New("the secret is not base64 after " + prefix)
	}
	if len(s) < shortest || len(s) > longest {
		return nil, fmt.Errorf("the secret has %d bytes: want %d to %d", len(s), shortest, longest)
	}
	return s, nil
}

// String returns the text that ParseSecret reads, with padding.
func (s Secret) String() string { return prefix + base64.StdEncoding.EncodeToString(s) }

// Set sets the headers of a message with this body that is sent at the given time. They have a signature by each of the
// secrets.
func Set(h http.Header, id string, at time.Time, body []byte, secrets ...Secret) {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, s := range secrets {
		signatures[i] = version + base64.StdEncoding.EncodeToString(s.mac(id, timestamp, body))
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, timestamp)
	h.Set(HeaderSignature, strings.Join(signatures, " "))
}

// Check returns nil if a message was signed with secret, and its timestamp is at most Tolerance away from arrival.
func Check(h http.Header, arrival time.Time, body []byte, secret Secret) error {
	id, timestamp := h.Get(HeaderID), h.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return errors.New("webhook: the headers of the signature are missing or wrong")
	}
	if apart := arrival.Sub(time.Unix(seconds, 0)); apart > Tolerance || apart < -Tolerance {
		return fmt.Errorf("webhook: the clocks are %v apart", apart.Round(time.Second))
	}
	want := secret.mac(id, timestamp, body)
	for text := range strings.FieldsSeq(h.Get(HeaderSignature)) {
		encoded, ours := strings.CutPrefix(text, version)
		if got, err := base64.StdEncoding.DecodeString(encoded); ours && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("webhook: no signature is made with the secret")
}

func (s Secret) mac(id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, s)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}
