package sign

import (
	"crypto/rand"
	"encoding/json"
)

// NewID returns an id for a message that is no event.
func NewID(kind string) string { return "msg_" + kind + "_" + rand.Text() }

// Message returns the body of a message that is no event. It sets the type in members.
func Message(kind string, members map[string]any) []byte {
	members["type"] = kind
	b, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts, and JSON of our own
	}
	return b
}
