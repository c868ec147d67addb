package sign

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The vector was made by other implementations of Standard Webhooks.
func TestVector(t *testing.T) {
	t.Attr("requirements", "event-sign event-headers")
	s, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h, body, at := http.Header{}, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
	Set(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, s)
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := h.Get(HeaderSignature); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	if err := Check(h, at, body, s); err != nil {
		t.Error(err)
	}
}

func TestSecrets(t *testing.T) {
	t.Attr("requirements", "event-secret")
	raw := bytes.Repeat([]byte{0xfb}, 65)
	encode := func(n int) string { return base64.StdEncoding.EncodeToString(raw[:n]) }
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"whsec_" + encode(24), true},
		{"whsec_" + encode(64), true},
		{"whsec_" + encode(32), true},
		{"whsec_" + strings.TrimRight(encode(32), "="), true},
		{"whsec_" + encode(23), false},
		{"whsec_" + encode(65), false},
		{encode(32), false},
		{"", false},
		{"whsec_", false},
		{"whsec_" + encode(24) + "\n", false},
		{"whsec_" + encode(12) + "\r\n" + encode(12), false},
		{"whsec_" + strings.ReplaceAll(encode(30), "+", "-"), false},
		{"WHSEC_" + encode(32), false},
	} {
		s, err := ParseSecret(test.text)
		if (err == nil) != test.ok {
			t.Errorf("%q: %v", test.text, err)
		}
		if err != nil && len(test.text) > 20 && strings.Contains(err.Error(), test.text[6:20]) {
			t.Errorf("%q: the error has the secret in it: %v", test.text, err)
		}
		if again, _ := ParseSecret(s.String()); err == nil && !bytes.Equal(again, s) {
			t.Errorf("%q: read again as %q", test.text, s.String())
		}
	}
}

func TestCheck(t *testing.T) {
	old, now := Secret(bytes.Repeat([]byte{1}, 32)), Secret(bytes.Repeat([]byte{2}, 32))
	body, at := []byte(`{"a":1}`), time.Unix(1_800_000_000, 0)
	h := http.Header{}
	Set(h, "evt1", at, body, now, old)
	for _, s := range []Secret{old, now} {
		if err := Check(h, at, body, s); err != nil {
			t.Error(err)
		}
	}
	for name, err := range map[string]error{
		"other secret": Check(h, at, body, bytes.Repeat([]byte{3}, 32)),
		"other body":   Check(h, at, []byte(`{"a":2}`), now),
		"too late":     Check(h, at.Add(Tolerance+time.Second), body, now),
		"too early":    Check(h, at.Add(-Tolerance-time.Second), body, now),
		"no headers":   Check(http.Header{}, at, body, now),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	h.Set(HeaderID, "evt2")
	if Check(h, at, body, now) == nil {
		t.Error("other id: accepted")
	}
}
