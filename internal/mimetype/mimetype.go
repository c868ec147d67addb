// Package mimetype has the MIME types of file names, and decides whether content of a type is text. The generator uses
// it for embedded files and declared types, the runtime for files that it reads, so that both give a file the same
// type.
package mimetype

import "strings"

// textTypes are the textual types whose names do not say so.
var textTypes = map[string]bool{
	"application/javascript": true, "application/json": true, "application/jsonl": true, "application/rtf": true,
	"application/sql": true, "application/toml": true, "application/x-ndjson": true, "application/xml": true,
	"application/yaml": true,
}

// ByName returns the type that the extension of the last element of a slash-separated path stands for, or "". Case
// does not count.
func ByName(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	return byExtension[strings.ToLower(name[dot+1:])]
}

// IsText reports whether content of the type is text. Parameters such as charset do not count.
func IsText(mimeType string) bool {
	t := essence(mimeType)
	return strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "+xml") || textTypes[t]
}

// IsBinary reports whether content of the type is known not to be text. Of a type that is neither text nor binary
// nothing is known.
func IsBinary(mimeType string) bool {
	t := essence(mimeType)
	if IsText(t) {
		return false
	}
	switch kind, _, _ := strings.Cut(t, "/"); kind {
	case "image", "audio", "video", "font":
		return true
	}
	for _, known := range byExtension {
		if known == t {
			return true
		}
	}
	return t == "application/octet-stream"
}

// essence is a type without its parameters, in lower case. It is not read by package mime, which programs would then
// contain for this alone.
func essence(mimeType string) string {
	t, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}
