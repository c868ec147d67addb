package wire

import "testing"

func TestAllocs(t *testing.T) {
	if raceDetector {
		t.Skip("allocations differ under the race detector")
	}
	ping := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	stringID := []byte(`{"jsonrpc":"2.0","id":"7","method":"ping"}`)
	wide := []byte(manyNames(1000, `{"x":[1,2]}`) + `"z":1}`)
	escaped := []byte(`{"a\u0062":1,"b":{"\n":2}}`)
	out := make([]byte, 0, 1<<16)
	data := make([]byte, 3000)
	const uri = "docs://host/a%2fb/c?x=1&y=2"
	var sink int
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"parse a ping", 0, func() { _, _ = ParseMessage(ping, Limits{}) }},
		{"parse a string id", 1, func() { _, _ = ParseMessage(stringID, Limits{}) }},
		{"check a wide object", 0, func() { _ = Check(wide, Limits{}) }},
		{"check escaped names", 0, func() { _ = Check(escaped, Limits{}) }},
		{"parse a legacy read", 0, func() { _, _ = ParseMessage(legacyRead, Limits{}) }},
		{"decode a legacy read", 1, func() { sink += decodeRead(legacyRead) }},
		{"decode a modern read", 2, func() { sink += decodeRead(modernRead) }},
		{"lookup", 0, func() { _, _ = Lookup(modernRead, "params", "_meta", "io.modelcontextprotocol/protocolVersion") }},
		{"split and look", 0, func() {
			var p Path
			p.Split(uri)
			_, _ = p.Param("y")
			sink += len(p.Tail(1))
		}},
		{"unescape nothing", 0, func() { _, _ = Unescape("plain") }},
		{"screen", 0, func() { SafeText("a/b/c.md") }},
		{"append", 0, func() {
			b := AppendResult(out, NumberID(1))
			b = AppendString(b, "text\n\u00e9")
			b = AppendRaw(b, wide)
			b = AppendBase64(b, data)
			b = AppendFloat(AppendSegment(b, "a b"), 1.5)
			sink += len(b)
		}},
	} {
		if got := testing.AllocsPerRun(200, tt.f); got > tt.want {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.want)
		}
	}
}
