package wire

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"
)

// Every length around the steps of the loop, and every pair of digits.
func TestAppendBase64(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	data := make([]byte, 40_000)
	_, _ = random.Read(data)
	for i := range 1 << 12 { // each value of 12 bits in the first half of 3 bytes
		data[3*i], data[3*i+1] = byte(i>>4), byte(i<<4)
	}
	for n := range 600 {
		check64(t, data[:n])
		check64(t, data[len(data)-n:])
	}
	check64(t, data)
}

func check64(t *testing.T, data []byte) {
	t.Helper()
	got := string(AppendBase64([]byte("x"), data))
	if want := `x"` + base64.StdEncoding.EncodeToString(data) + `"`; got != want {
		t.Fatalf("%d bytes: got %.100q, want %.100q", len(data), got, want)
	}
}
