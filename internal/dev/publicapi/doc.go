// Package publicapi tests the API that users see: its committed listing in api/, how many names it has, that no
// signature shows an internal type, and that each name has a use.
package publicapi
