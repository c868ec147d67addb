package mcphttp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Card makes a server discoverable over HTTP. Two public documents are made of it (SEP-2127). The card is at the path
// of the endpoint followed by /server-card; a catalog at /.well-known/ai-catalog.json points to the card. They have the
// version, the title and the revisions of the server, and no features.
type Card struct {
	// Name is the name in a registry: a domain backwards, a slash and a name, such as "io.github.ada/notes".
	Name string
	// URL is the URL of the endpoint, as clients call it: "https://mcp.example.com/mcp".
	URL string
	// Description is a sentence of at most 100 characters; "" means the one in the server directive.
	Description string
}

const (
	cardSuffix  = "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"
	cardType    = "application/mcp-server-card+json"
	catalogType = "application/ai-catalog+json"
	cardSchema  = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
)

// cardDocument is the card. Its form is version 1.
type cardDocument struct {
	Schema      string       `json:"$schema"`
	Name        string       `json:"name"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description"`
	Version     string       `json:"version"`
	WebsiteURL  string       `json:"websiteUrl,omitempty"`
	Remotes     []cardRemote `json:"remotes"`
}

type cardRemote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions"`
}

// catalogDocument is the catalog (AI Catalog 0.9).
type catalogDocument struct {
	Version string         `json:"specVersion"`
	Entries []catalogEntry `json:"entries"`
}

type catalogEntry struct {
	Identifier string `json:"identifier"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

var cardName = regexp.MustCompile(`^([a-zA-Z0-9.-]+)/([a-zA-Z0-9._-]+)$`)

// Routes returns the handlers of both documents of srv by their paths, for a program that uses [Handler] in a mux. A
// [Command] serves those of [Options].Card itself. Web pages of all origins may read them.
func (c *Card) Routes(srv Server) (map[string]http.Handler, error) {
	if srv == nil || srv.Base() == nil {
		return nil, errNilServer
	}
	at, err := url.Parse(c.URL)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, fmt.Errorf("mcphttp: Card.URL %q: want that of the endpoint, such as https://mcp.example.com/mcp", c.URL)
	}
	if at.User != nil || at.RawQuery != "" || at.Fragment != "" || strings.ContainsAny(at.Path, "{} \t") ||
		len(at.Path) > 1 && path.Clean(at.Path) != strings.TrimSuffix(at.Path, "/") {
		return nil, fmt.Errorf("mcphttp: Card.URL %q: want a scheme, a host and a plain path", at.Redacted())
	}
	name := cardName.FindStringSubmatch(c.Name)
	if name == nil || len(c.Name) > 200 {
		return nil, fmt.Errorf("mcphttp: Card.Name %q: want a domain backwards, a slash and a name,"+
			" such as io.github.ada/notes", c.Name)
	}
	_, info := server.Identity((*server.Server)(srv.Base()))
	d := cardDocument{Schema: cardSchema, Name: c.Name, Title: info.Title, Description: c.Description,
		Version: info.Version, WebsiteURL: info.WebsiteURL,
		Remotes: []cardRemote{{"streamable-http", c.URL, era.Table.Versions()}}}
	if d.Description == "" {
		d.Description = info.Description
	}
	if n := utf8.RuneCountInString(d.Description); n == 0 || n > 100 {
		return nil, errors.New("mcphttp: Card.Description: want a sentence of at most 100 characters," +
			" here or in the server directive")
	}
	domain := strings.Split(name[1], ".")
	slices.Reverse(domain)
	card := publicDocument(cardType, d)
	return map[string]http.Handler{
		Path + cardSuffix: card,
		strings.TrimSuffix(at.Path, "/") + cardSuffix: card,
		catalogPath: publicDocument(catalogType, catalogDocument{Version: "0.9", Entries: []catalogEntry{{
			Identifier: "urn:air:" + strings.Join(domain, ".") + ":mcp:" + name[2], Type: cardType,
			URL: strings.TrimSuffix(c.URL, "/") + cardSuffix}}}),
	}, nil
}

// publicDocument serves JSON that every page may read, and that clients may keep for an hour.
func publicDocument(mediaType string, v any) http.Handler {
	body, _ := json.Marshal(v) //nolint:errchkjson // texts and lists of them
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Access-Control-Allow-Origin", "*")
		head.Set("Access-Control-Allow-Methods", http.MethodGet)
		head.Set("Access-Control-Allow-Headers", "Content-Type, If-None-Match")
		head.Set("Access-Control-Expose-Headers", "ETag")
		switch {
		case r.Method == http.MethodOptions:
			w.WriteHeader(http.StatusNoContent)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD, OPTIONS")
			web.WriteText(w, http.StatusMethodNotAllowed, "the method must be GET\n")
			return
		}
		head.Set("Cache-Control", "public, max-age=3600")
		head.Set("ETag", tag)
		if slices.Contains(r.Header["If-None-Match"], tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		head.Set("Content-Type", mediaType)
		head.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body)
	})
}
