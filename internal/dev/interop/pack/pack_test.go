package pack

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/registry/pkg/model"
	"github.com/santhosh-tekuri/jsonschema/v6"

	_ "github.com/mcpgen/mcpgen/golden/notes" // packed below; importing it makes go test run again when it changes

	"github.com/mcpgen/mcpgen/internal/scratch"
)

const root = "../../../.."

// built is the folder of what packed returns; TestMain removes it.
var built string

func TestMain(m *testing.M) {
	os.Exit(scratch.With("interop-pack", func(dir string) int {
		built = dir
		return m.Run()
	}))
}

var pack sync.Once

// packed is a folder with notes.mcpb, notes.tar and server.json of golden/notes, which all tests read.
func packed(t *testing.T) string {
	t.Helper()
	pack.Do(func() {
		packer := filepath.Join(built, "packer.exe")
		run(t, filepath.Join(root, "pack"), "go", "build", "-ldflags=-w", "-o", packer, "./cmd/mcpgen-pack")
		run(t, root, packer, "-o", filepath.Join(built, "notes.mcpb"), "-o", filepath.Join(built, "notes.tar"),
			"-o", filepath.Join(built, "server.json"), "-author", "Ada Lovelace", "-description", "The notes of a team",
			"-name", "io.github.ada/notes", "-download", "https://example.com/mcp/notes.mcpb",
			"-image", "ghcr.io/ada/notes:1.0.0", "-remote", "https://mcp.example.com/mcp",
			"-flag", "dir=directory:the folder of the notes", "-env", "KEY=secret:a key", "./golden/notes/cmd/notes")
	})
	return built
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tool returns the path of a program that npm has installed here.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skipf("%s is missing, run make setup: %v", name, err)
	}
	return path
}

// The tool for bundles takes the bundle. A client starts its program as the manifest says, and reads a note.
func TestBundle(t *testing.T) {
	mcpb := tool(t, "mcpb")
	dir := packed(t)
	at := filepath.Join(t.TempDir(), "unpacked")
	run(t, dir, mcpb, "unpack", "notes.mcpb", at)
	run(t, dir, mcpb, "validate", filepath.Join(at, "manifest.json"))

	var manifest struct {
		Server struct {
			Config struct {
				Command string            `json:"command"`
				Args    []string          `json:"args"`
				Env     map[string]string `json:"env"`
			} `json:"mcp_config"`
		}
		Tools []struct{ Name, Description string }
	}
	text, err := os.ReadFile(filepath.Join(at, "manifest.json"))
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "today.md"), []byte("# Today\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("${__dirname}", at, "${user_config.dir}", notes, "${user_config.KEY}", "k")
	var args []string
	for _, arg := range manifest.Server.Config.Args {
		args = append(args, fill.Replace(arg))
	}
	if manifest.Server.Config.Env["KEY"] != "${user_config.KEY}" {
		t.Errorf("environment %v", manifest.Server.Config.Env)
	}
	cmd := exec.Command(fill.Replace(manifest.Server.Config.Command), args...)
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "notes:///today"})
	if err != nil || len(got.Contents) != 1 || got.Contents[0].Text != "# Today\n" {
		t.Errorf("the note is %v, %v", got, err)
	}
	checkTools(t, session, manifest.Tools)
}

// checkTools compares the tools of a manifest with those that the server lists.
func checkTools(t *testing.T, session *mcp.ClientSession, in []struct{ Name, Description string }) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		t.Fatalf("tools %v, %v", list, err)
	}
	for _, tool := range list.Tools {
		if !slices.Contains(in, struct{ Name, Description string }{tool.Name, tool.Description}) {
			t.Errorf("the manifest has no tool %s with its description: %v", tool.Name, in)
		}
	}
}

// The schema of the registry takes the entry, which names the bundle by its sum.
func TestRegistryEntry(t *testing.T) {
	dir := packed(t)
	text, err := os.ReadFile(filepath.Join(dir, "server.json"))
	if err != nil {
		t.Fatal(err)
	}
	module := strings.TrimSpace(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/modelcontextprotocol/registry"))
	file := filepath.Join(module, "internal", "validators", "schemas", model.CurrentSchemaVersion+".json")
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(entry); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	bundle, err := os.ReadFile(filepath.Join(dir, "notes.mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("%x", sha256.Sum256(bundle)), model.CurrentSchemaURL,
		`"type=bind,src={dir},dst=/mnt/dir"`,
		`"-dir=/mnt/dir"`, `"isSecret": true`, `"https://mcp.example.com/mcp"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("server.json lacks %s:\n%s", want, text)
		}
	}
}
