package mimetype

// byExtension has the MIME types of common extensions. Package mime would ask the machine, and neither output nor
// answers may depend on that.
var byExtension = map[string]string{
	"adoc": "text/asciidoc", "avif": "image/avif", "bat": "text/plain", "bmp": "image/bmp", "bz2": "application/x-bzip2",
	"c": "text/x-c", "cc": "text/x-c++", "cfg": "text/plain", "conf": "text/plain", "cpp": "text/x-c++", "cs": "text/x-csharp",
	"css": "text/css", "csv": "text/csv", "diff": "text/x-diff", "doc": "application/msword",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "env": "text/plain", "epub": "application/epub+zip",
	"gif": "image/gif", "go": "text/x-go", "gz": "application/gzip", "h": "text/x-c", "hpp": "text/x-c++", "htm": "text/html",
	"html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "ini": "text/plain", "java": "text/x-java",
	"jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl",
	"jsx": "text/javascript", "kt": "text/x-kotlin", "log": "text/plain", "lua": "text/x-lua", "md": "text/markdown",
	"markdown": "text/markdown", "mjs": "text/javascript", "mp3": "audio/mpeg", "mp4": "video/mp4", "ndjson": "application/x-ndjson",
	"odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "otf": "font/otf", "patch": "text/x-diff",
	"pdf": "application/pdf", "php": "text/x-php", "pl": "text/x-perl", "png": "image/png", "proto": "text/plain",
	"ps1": "text/plain", "py": "text/x-python", "rb": "text/x-ruby", "rs": "text/x-rust", "rst": "text/x-rst", "rtf": "application/rtf",
	"sh": "text/x-shellscript", "sql": "application/sql", "svg": "image/svg+xml", "swift": "text/x-swift", "tar": "application/x-tar",
	"tex": "text/x-tex", "tgz": "application/gzip", "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
	"ts": "text/x-typescript", "tsv": "text/tab-separated-values", "tsx": "text/x-typescript", "ttf": "font/ttf", "txt": "text/plain",
	"wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff",
	"woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml", "yaml": "application/yaml",
	"yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
}
