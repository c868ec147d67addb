package pack

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/output"
)

// manifest is manifest.json of a bundle.
type manifest struct {
	ManifestVersion  string                `json:"manifest_version"`
	Name             string                `json:"name"`
	DisplayName      string                `json:"display_name,omitempty"`
	Version          string                `json:"version"`
	Description      string                `json:"description"`
	Author           author                `json:"author"`
	Homepage         string                `json:"homepage,omitempty"`
	Server           manifestServer        `json:"server"`
	Tools            []tool                `json:"tools,omitempty"`
	ToolsGenerated   bool                  `json:"tools_generated,omitempty"`
	PromptsGenerated bool                  `json:"prompts_generated,omitempty"`
	UserConfig       map[string]userConfig `json:"user_config,omitempty"`
	Compatibility    compatibility         `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
}

type manifestServer struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     start  `json:"mcp_config"`
}

// start is how a client starts the program.
type start struct {
	Command   string             `json:"command"`
	Args      []string           `json:"args,omitempty"`
	Env       map[string]string  `json:"env,omitempty"`
	Overrides map[string]command `json:"platform_overrides,omitempty"` // by the name of the system
}

type command struct {
	Command string `json:"command"`
}

type userConfig struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// systems are the names of systems in a manifest.
var systems = map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}

// checkBundle checks what belongs to a bundle.
func (o *options) checkBundle() error {
	if o.author == "" {
		return errors.New("a bundle names its author: -author 'Ada Lovelace'")
	}
	seen := map[string]string{}
	for _, p := range o.platforms {
		system, _, _ := strings.Cut(p, "/")
		if systems[system] == "" {
			return fmt.Errorf("bundles are for darwin, linux and windows, and not for %s", system)
		}
		if seen[system] != "" {
			return fmt.Errorf("a bundle has one processor for each system, and not %s and %s: make two bundles",
				seen[system], p)
		}
		seen[system] = p
	}
	return nil
}

// bundle makes an MCPB bundle: a zip with a manifest, and a program for each system.
func (o *options) bundle(f *facts, programs []program, _ []output.File) ([]byte, error) {
	m := manifest{ManifestVersion: "0.3", Name: f.name, DisplayName: f.title, Version: f.version,
		Description: f.description, Author: author{o.author}, Homepage: f.website, Tools: f.tools,
		ToolsGenerated: f.moreTools, PromptsGenerated: f.prompts}
	m.Server.Type = "binary"
	o.start(&m)
	files := map[string]program{}
	for _, p := range programs {
		system := systems[p.system]
		m.Compatibility.Platforms = append(m.Compatibility.Platforms, system)
		at := path.Join("server", p.system, p.file)
		files[at] = p
		if m.Server.EntryPoint == "" {
			m.Server.EntryPoint, m.Server.Config.Command = at, "${__dirname}/"+at
			continue
		}
		if m.Server.Config.Overrides == nil {
			m.Server.Config.Overrides = map[string]command{}
		}
		m.Server.Config.Overrides[system] = command{"${__dirname}/" + at}
	}
	text, err := indented(m)
	if err != nil {
		return nil, err
	}
	return zipped(text, files)
}

// start gives the program its arguments and its environment.
func (o *options) start(m *manifest) {
	c := &m.Server.Config
	c.Args = slices.Clone(o.args)
	for _, in := range o.inputs {
		if m.UserConfig == nil {
			m.UserConfig = map[string]userConfig{}
		}
		u := userConfig{Type: in.kind, Title: in.name, Description: in.description, Required: true}
		if in.kind == "secret" {
			u.Type, u.Sensitive = "string", true
		}
		m.UserConfig[in.name] = u
		value := "${user_config." + in.name + "}"
		if !in.env {
			c.Args = append(c.Args, in.argument(value))
			continue
		}
		if c.Env == nil {
			c.Env = map[string]string{}
		}
		c.Env[in.name] = value
	}
}

// zipped makes the archive. The same contents give the same bytes.
func zipped(manifest []byte, files map[string]program) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	add := func(name string, data []byte, executable bool) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		h.SetMode(0o644)
		if executable {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
	if err := add("manifest.json", manifest, false); err != nil {
		return nil, err
	}
	for _, name := range sorted(files) {
		if err := add(name, files[name].data, true); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// indented is JSON for people.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
