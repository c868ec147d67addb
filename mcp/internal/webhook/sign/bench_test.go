package sign

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// BenchmarkSet signs one message with one secret, as each attempt of a delivery does. The floor takes the HMAC of the
// same bytes and keeps nothing.
func BenchmarkSet(b *testing.B) {
	secret, at := Secret(bytes.Repeat([]byte{1}, 32)), time.Unix(1_800_000_000, 0)
	for _, size := range []int{1 << 10, 64 << 10} {
		body, h := bytes.Repeat([]byte{'a'}, size), http.Header{}
		begin := []byte("evt1.1800000000.")
		b.Run(fmt.Sprintf("%d KiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				Set(h, "evt1", at, body, secret)
			}
			if err := Check(h, at, body, secret); err != nil {
				b.Error(err)
			}
		})
		b.Run(fmt.Sprintf("%d KiB, floor", size>>10), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				mac := hmac.New(sha256.New, secret)
				mac.Write(begin)
				mac.Write(body)
				mac.Sum(nil)
			}
		})
	}
}
