package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/output"
)

const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// entryOfRegistry is a server.json.
type entryOfRegistry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	WebsiteURL  string            `json:"websiteUrl,omitempty"`
	Packages    []registryPackage `json:"packages,omitempty"`
	Remotes     []transport       `json:"remotes,omitempty"`
}

type registryPackage struct {
	Type        string     `json:"registryType"`
	Identifier  string     `json:"identifier"`
	Version     string     `json:"version,omitempty"`
	SHA256      string     `json:"fileSha256,omitempty"`
	Hint        string     `json:"runtimeHint,omitempty"`
	Runtime     []argument `json:"runtimeArguments,omitempty"`
	Arguments   []argument `json:"packageArguments,omitempty"`
	Environment []argument `json:"environmentVariables,omitempty"`
	Transport   transport  `json:"transport"`
}

type transport struct {
	Type string `json:"type"`
	URL  string `json:"url,omitempty"`
}

// argument is an argument, a variable of the environment, or a variable of an argument.
type argument struct {
	Type        string              `json:"type,omitempty"`
	Name        string              `json:"name,omitempty"`
	Value       string              `json:"value,omitempty"`
	Description string              `json:"description,omitempty"`
	Format      string              `json:"format,omitempty"`
	Required    bool                `json:"isRequired,omitempty"`
	Secret      bool                `json:"isSecret,omitempty"`
	Variables   map[string]argument `json:"variables,omitempty"`
}

// checkRegistry checks what belongs to server.json.
func (o *options) checkRegistry() error {
	for _, u := range append(slices.Clone(o.remotes), o.download) {
		if at, err := url.Parse(u); u != "" && (err != nil || at.Scheme != "https" || at.Host == "") {
			return fmt.Errorf("%s: want a URL that begins with https://", u)
		}
	}
	switch {
	case !o.registering:
		return nil
	case o.name == "":
		return errors.New("server.json names the server: -name io.github.ada/notes, with a domain of yours backwards")
	case o.download == "" && o.image == "" && o.remotes == nil:
		return errors.New("server.json says where the server is: write -download, -image or -remote")
	case o.download != "" && !o.bundled:
		return errors.New("server.json has the sum of the bundle at -download: make both at once, with -o notes.mcpb too")
	}
	return nil
}

// registry makes a server.json.
func (o *options) registry(f *facts, _ []program, before []output.File) ([]byte, error) {
	e := entryOfRegistry{Schema: registrySchema, Name: o.name, Title: f.title, Description: f.description,
		Version: f.version, WebsiteURL: f.website}
	stdio := transport{Type: "stdio"}
	if o.download != "" {
		i := slices.IndexFunc(before, func(f output.File) bool { return strings.HasSuffix(f.Path, bundleEnding) })
		sum := sha256.Sum256(before[i].Data)
		e.Packages = append(e.Packages, registryPackage{Type: "mcpb", Identifier: o.download, Version: f.version,
			SHA256: hex.EncodeToString(sum[:]), Transport: stdio})
	}
	if o.image != "" {
		p := registryPackage{Type: "oci", Identifier: o.image, Transport: stdio}
		o.ask(&p)
		e.Packages = append(e.Packages, p)
	}
	for _, u := range o.remotes {
		e.Remotes = append(e.Remotes, transport{"streamable-http", u})
	}
	return indented(e)
}

// ask adds the arguments and the environment of an image. A path of the user is mounted into the container.
func (o *options) ask(p *registryPackage) {
	for _, a := range o.args {
		p.Arguments = append(p.Arguments, argument{Type: "positional", Value: a})
	}
	for _, in := range o.inputs {
		v := argument{Description: in.description, Format: "string", Required: true, Secret: in.kind == "secret"}
		switch {
		case in.kind == "number":
			v.Format = "number"
		case in.isPath():
			v.Format = "filepath"
		}
		if in.env && !in.isPath() {
			v.Name = in.name
			p.Environment = append(p.Environment, v)
			continue
		}
		value := "{" + in.name + "}"
		variables := map[string]argument{in.name: v}
		if in.isPath() {
			inside := "/mnt/" + in.name
			p.Hint = "docker"
			p.Runtime = append(p.Runtime, argument{Type: "named", Name: "--mount", Required: true,
				Value: "type=bind,src=" + value + ",dst=" + inside, Variables: variables})
			value, variables = inside, nil
		}
		if in.env {
			p.Environment = append(p.Environment, argument{Name: in.name, Value: value})
			continue
		}
		p.Arguments = append(p.Arguments, argument{Type: "positional", Value: in.argument(value), Variables: variables})
	}
}
