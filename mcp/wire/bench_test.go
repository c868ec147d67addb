package wire

import (
	"fmt"
	"strings"
	"testing"
)

var (
	legacyRead = []byte(`{"jsonrpc":"2.0","id":42,"method":"resources/read","params":{"uri":"notes:///shopping"}}`)
	modernRead = []byte(`{"jsonrpc":"2.0","id":42,"method":"resources/read","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"client","version":"1.2.3"},"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}},"uri":"notes:///shopping"}}`)
)

// decodeRead does what generated code does for a read request.
func decodeRead(text []byte) int {
	m, e := ParseMessage(text, Limits{})
	if e != nil {
		return 0
	}
	var uri, version string
	d := NewDecoder(m.Params)
	for ok := d.Object(); ok && d.Next(); {
		switch string(d.Name()) {
		case "uri":
			uri = d.String()
		case "_meta":
			for ok := d.Object(); ok && d.Next(); {
				switch string(d.Name()) {
				case "io.modelcontextprotocol/protocolVersion":
					version = d.String()
				case "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities":
					d.Skip()
				}
			}
		}
	}
	return len(uri) + len(version)
}

func benchParse(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, e := ParseMessage(text, Limits{}); e != nil {
			b.Fatal(e)
		}
	}
}

func call(text string) []byte {
	b := AppendRequest(nil, NumberID(1), "tools/call")
	b = append(b, `{"name":"x","arguments":{"text":`...)
	return append(AppendString(b, text), "}}}"...)
}

func listResult(n int) []byte {
	b := append(AppendResult(nil, NumberID(1)), `{"resources":[`...)
	for i := range n {
		b = fmt.Appendf(b, `{"uri":"notes:///%d","name":"note %d","title":"Note number %d","mimeType":"text/markdown"},`, i, i, i)
	}
	return append(EndArray(b), "}}"...)
}

func BenchmarkPing(b *testing.B) { benchParse(b, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)) }

func BenchmarkText64K(b *testing.B) { benchParse(b, call(strings.Repeat("some words, ", 5461))) }

func BenchmarkLines64K(b *testing.B) {
	benchParse(b, call(strings.Repeat("a line of text that is about as long as most \"lines\" are\n", 1130)))
}

func BenchmarkUnicode64K(b *testing.B) {
	benchParse(b, call(strings.Repeat("これは日本語の文章です。", 1820)))
}

func BenchmarkList1000(b *testing.B) { benchParse(b, listResult(1000)) }

func BenchmarkWideObject(b *testing.B) {
	benchParse(b, append(AppendResult(nil, NumberID(1)), manyNames(10_000, "0")+`"z":0}}`...))
}

func BenchmarkReadLegacy(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		decodeRead(legacyRead)
	}
}

func BenchmarkReadModern(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		decodeRead(modernRead)
	}
}

func BenchmarkAppendString64K(b *testing.B) {
	s := strings.Repeat("a line of text that is about as long as most \"lines\" are\n", 1130)
	b.SetBytes(int64(len(s)))
	var out []byte
	for b.Loop() {
		out = AppendString(out[:0], s)
	}
}

func BenchmarkAppendBase64(b *testing.B) {
	data := make([]byte, 64<<10)
	b.SetBytes(int64(len(data)))
	var out []byte
	for b.Loop() {
		out = AppendBase64(out[:0], data)
	}
}

func BenchmarkSplit(b *testing.B) {
	var p Path
	for b.Loop() {
		p.Split("docs://host/section/page?lang=en")
	}
}

func BenchmarkAppendUnicode64K(b *testing.B) {
	s := strings.Repeat("これは日本語の文章です。", 1820)
	b.SetBytes(int64(len(s)))
	var out []byte
	for b.Loop() {
		out = AppendString(out[:0], s)
	}
}
