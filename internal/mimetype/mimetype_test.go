package mimetype

import "testing"

func TestByName(t *testing.T) {
	t.Attr("requirements", "res-mime")
	tests := map[string]string{
		"conf.toml": "application/toml", "a/b/README.MD": "text/markdown", "x.tar.gz": "application/gzip",
		"v1.2/LICENSE": "", "LICENSE": "", ".env": "text/plain", "a.": "", "": "", "x.unknown": "",
	}
	for path, want := range tests {
		if got := ByName(path); got != want {
			t.Errorf("ByName(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	const text, binary, unknown = "text", "binary", "unknown"
	tests := map[string]string{
		"text/x-motto": text, "text/plain; charset=utf-8": text, "TEXT/Plain": text, "application/toml": text,
		"application/problem+json": text, "image/svg+xml": text, "application/json;v=1": text,
		"image/png": binary, "audio/x-any": binary, "font/woff2": binary, "application/octet-stream": binary,
		"application/pdf": binary, "application/msword": binary, "application/wasm; x=1": binary,
		"application/vnd.example": unknown, "": unknown, "no type": unknown,
	}
	for mimeType, want := range tests {
		got := unknown
		switch {
		case IsText(mimeType) && IsBinary(mimeType):
			got = "both"
		case IsText(mimeType):
			got = text
		case IsBinary(mimeType):
			got = binary
		}
		if got != want {
			t.Errorf("%q is %s, want %s", mimeType, got, want)
		}
	}
}

// Each type of the table is text or binary, never unknown.
func TestTable(t *testing.T) {
	for ext, mimeType := range byExtension {
		if IsText(mimeType) == IsBinary(mimeType) {
			t.Errorf("%s, %s: text %v, binary %v", ext, mimeType, IsText(mimeType), IsBinary(mimeType))
		}
	}
}
