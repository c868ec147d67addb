package work

import "testing"

func TestMessage(t *testing.T) {
	for text, want := range map[string][2]string{
		`{"_meta":{"progressToken":1000008,"a":1}}`: {`{"_meta":{"progressToken":1000009,"a":1}}`,
			`{"_meta":{"progressToken":1000010,"a":1}}`},
		`{"_meta":{"a":1}}`: {`{"_meta":{"a":1}}`, `{"_meta":{"a":1}}`},
	} {
		m := NewMessage([]byte(text))
		for _, w := range want {
			if got := string(m.Next()); got != w {
				t.Errorf("got %s, want %s", got, w)
			}
		}
	}
}

// Every request of 2026-07-28 has a token, but those that show what it costs.
func TestTokens(t *testing.T) {
	for _, o := range Ops() {
		m := NewMessage([]byte(o.Request))
		if has, want := m.digits != nil, o.Era == Modern && o.Name == plainName(o.Name); has != want {
			t.Errorf("%s %s: token %v, want %v", o.Name, o.Era, has, want)
		}
	}
}
