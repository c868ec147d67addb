package main

import "encoding/json"

// ownerOf returns the owner of an account as clients read it.
func ownerOf(text string) string {
	var account struct{ Owner string }
	_ = json.Unmarshal([]byte(text), &account) // another text has no owner
	return account.Owner
}
