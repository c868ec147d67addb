package values

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol/ext/tasks"
	"github.com/mcpgen/mcpgen/generated/protocol/ext/ui"
	"github.com/mcpgen/mcpgen/internal/dev/interop/validator"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/mcp/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// extension is a generated package of an extension.
type extension struct {
	codec   versionCodec // of the structs
	core    reflect.Type // of what holds members of unions that are the core's; nil if there are none
	structs []any
	unions  map[string]versionUnion
	without map[string]string // properties that values lack, with the reason
}

var extensions = map[string]extension{
	tasks.ID: {
		codec: codecOf(tasks.Revisions()),
		structs: []any{
			new(tasks.CancelTaskRequestParams), new(tasks.CancelTaskResult), new(tasks.CancelledTask), new(tasks.CompletedTask),
			new(tasks.CreateTaskResult), new(tasks.FailedTask), new(tasks.GetTaskRequestParams),
			new(tasks.GetTaskResultCancelled),
			new(tasks.GetTaskResultCompleted), new(tasks.GetTaskResultFailed), new(tasks.GetTaskResultInputRequired),
			new(tasks.GetTaskResultWorking), new(tasks.InputRequiredTask), new(tasks.Task),
			new(tasks.TaskStatusNotificationParamsCancelled),
			new(tasks.TaskStatusNotificationParamsCompleted), new(tasks.TaskStatusNotificationParamsFailed),
			new(tasks.TaskStatusNotificationParamsInputRequired), new(tasks.TaskStatusNotificationParamsWorking),
			new(tasks.TaskSubscriptionAcknowledgedNotifications), new(tasks.TaskSubscriptionNotifications),
			new(tasks.TasksExtensionCapability), new(tasks.UpdateTaskRequestParams), new(tasks.UpdateTaskResult),
			new(tasks.WorkingTask),
		},
		unions: map[string]versionUnion{
			"DetailedTask":  unionOf(tasks.AppendDetailedTask, tasks.DecodeDetailedTask),
			"GetTaskResult": unionOf(tasks.AppendGetTaskResult, tasks.DecodeGetTaskResult),
			"TaskStatusNotificationParams": unionOf(tasks.AppendTaskStatusNotificationParams,
				tasks.DecodeTaskStatusNotificationParams),
		},
		without: map[string]string{},
	},
	ui.ID: {
		codec: codecOf(ui.Revisions()),
		core:  reflect.TypeFor[ui.Core](),
		structs: []any{
			new(ui.AppCapabilities), new(ui.AppCapabilitiesTools), new(ui.ClientCapabilities), new(ui.ContainerDimensions),
			new(ui.DeviceCapabilities), new(ui.DownloadFileRequestParams), new(ui.DownloadFileResult), new(ui.HostCapabilities),
			new(ui.HostCapabilitiesDownloadFile), new(ui.HostCapabilitiesLogging), new(ui.HostCapabilitiesOpenLinks),
			new(ui.HostCapabilitiesSampling), new(ui.HostCapabilitiesSamplingTools), new(ui.HostCapabilitiesSandbox),
			new(ui.HostCapabilitiesServerResources), new(ui.HostCapabilitiesServerTools), new(ui.HostContext), new(ui.HostCSS),
			new(ui.HostStyles), new(ui.InitializeRequestParams), new(ui.InitializeResult), new(ui.InitializedNotificationParams),
			new(ui.MessageRequestParams), new(ui.MessageResult), new(ui.OpenLinkRequestParams), new(ui.OpenLinkResult),
			new(ui.RequestDisplayModeRequestParams), new(ui.RequestDisplayModeResult), new(ui.RequestTeardownNotificationParams),
			new(ui.ResourceCSP), new(ui.ResourceMeta), new(ui.ResourcePermissions), new(ui.ResourcePermissionsCamera),
			new(ui.ResourcePermissionsClipboardWrite), new(ui.ResourcePermissionsGeolocation),
			new(ui.ResourcePermissionsMicrophone),
			new(ui.ResourceTeardownRequestParams), new(ui.SafeAreaInsets), new(ui.SandboxProxyReadyNotificationParams),
			new(ui.SandboxResourceReadyNotificationParams), new(ui.SizeChangedNotificationParams),
			new(ui.SupportedContentBlockModalities),
			new(ui.SupportedContentBlockModalitiesAudio), new(ui.SupportedContentBlockModalitiesImage),
			new(ui.SupportedContentBlockModalitiesResource), new(ui.SupportedContentBlockModalitiesResourceLink),
			new(ui.SupportedContentBlockModalitiesStructuredContent), new(ui.SupportedContentBlockModalitiesText),
			new(ui.ToolCancelledNotificationParams), new(ui.ToolInfo), new(ui.ToolInputNotificationParams),
			new(ui.ToolInputPartialNotificationParams), new(ui.ToolMeta), new(ui.UpdateModelContextRequestParams),
		},
		unions: map[string]versionUnion{"DownloadContent": unionOf(ui.AppendDownloadContent, ui.DecodeDownloadContent)},
		without: map[string]string{
			"McpUiHostContext.containerDimensions": "the schema refuses both of its directions together: each part of the allOf is closed",
		},
	},
}

// versionCodec encodes and decodes a struct as in the version of an extension with that index.
type versionCodec struct {
	encode func(version int, v any) []byte
	decode func(d *wire.Decoder, version int, v any)
}

func codecOf[R any](versions []R) versionCodec {
	return versionCodec{
		func(i int, v any) []byte {
			return v.(interface{ AppendJSON(b []byte, rev R) []byte }).AppendJSON(nil, versions[i])
		},
		func(d *wire.Decoder, i int, v any) {
			v.(interface{ DecodeJSON(d *wire.Decoder, rev R) }).DecodeJSON(d, versions[i])
		},
	}
}

// versionUnion is unionCodec for the versions of an extension.
type versionUnion struct {
	encode func(version int, v any) []byte
	decode func(d *wire.Decoder, version int) any
}

// unionOf makes one of the functions of a generated union. The versions are those of the package.
func unionOf[U any, R ~uint8](encode func([]byte, R, U) []byte, decode func(*wire.Decoder, R) U) versionUnion {
	return versionUnion{
		func(i int, v any) []byte { return encode(nil, R(i+1), v.(U)) },
		func(d *wire.Decoder, i int) any { return decode(d, R(i+1)) },
	}
}

// extensionTables merges an extension; what it has from the core is made with the tables of the core.
func extensionTables(t *testing.T, ext *schema.Extension, core *tables) *tables {
	t.Helper()
	docs, err := schema.EmbeddedDocs()
	if err != nil {
		t.Fatal(err)
	}
	r, err := protocolir.Extension(ext, &protocolir.Core{
		Schemas: core.schemas, Protocol: core.p, Exceptions: core.ex, Docs: docs, Path: "x/protocol", Package: "protocol",
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &tables{p: r.Protocol, schemas: ext.Versions, structs: map[string]*ir.Struct{}, unions: map[string]*ir.Union{},
		enums: map[string]*ir.Enum{}, types: map[string]reflect.Type{}, core: core,
		coreMember: extensions[ext.ID].core, without: extensions[ext.ID].without}
	for _, s := range r.Protocol.Structs {
		b.structs[s.Go] = s
	}
	for _, u := range r.Protocol.Unions {
		b.unions[u.Go] = u
	}
	for _, e := range r.Protocol.Enums {
		b.enums[e.Go] = e
	}
	for _, m := range extensions[ext.ID].structs {
		typ := reflect.TypeOf(m).Elem()
		b.types[typ.Name()] = typ
	}
	return b
}

// eachExtension runs a test for each committed extension.
func eachExtension(t *testing.T, f func(t *testing.T, ext *schema.Extension, b *tables)) {
	list, err := schema.EmbeddedExtensions()
	if err != nil || len(list) != len(extensions) {
		t.Fatalf("%d extensions are committed, %d have a table here; %v", len(list), len(extensions), err)
	}
	core := newTables(t)
	for _, ext := range list {
		t.Run(ext.Short(), func(t *testing.T) { f(t, ext, extensionTables(t, ext, core)) })
	}
}

func TestExtensionTablesAreComplete(t *testing.T) {
	eachExtension(t, func(t *testing.T, ext *schema.Extension, b *tables) {
		for _, s := range b.p.Structs {
			if b.types[s.Go] == nil {
				t.Errorf("the table of structs lacks %s", s.Go)
			}
		}
		for _, u := range b.p.Unions {
			if extensions[ext.ID].unions[u.Go].encode == nil {
				t.Errorf("the table of unions lacks %s", u.Go)
			}
		}
	})
}

// extensionSchemas returns the schemas of an extension: the official ones beside those of the core, where they are on
// this machine, as ext/NAME/VERSION/schema.json, or else the facts.
func extensionSchemas(t *testing.T, short string) *validator.Schemas {
	t.Helper()
	if dir, err := validator.Dir("../../../.."); err == nil {
		dir = filepath.Join(dir, "ext", short)
		if _, err := os.Stat(dir); err == nil {
			return validator.Official(dir, "../../../..")
		}
	}
	return validator.FactsIn(filepath.Join("../../../..", "schema", "ext", short))
}

// TestExtensionValues encodes values of every struct in the newest version of its extension. The schema accepts them,
// and they decode to what they were.
func TestExtensionValues(t *testing.T) {
	eachExtension(t, func(t *testing.T, ext *schema.Extension, b *tables) {
		schemas := extensionSchemas(t, ext.Short())
		judged := map[string]bool{}
		for _, s := range b.p.Structs {
			for i := range 4 * rounds {
				m := &maker{Rand: rand.New(rand.NewSource(int64(i))), tables: b, rev: len(b.schemas) - 1, extra: i%4 == 3}
				v := m.pointer(s, 0).Interface()
				text := extensions[ext.ID].codec.encode(m.rev, v)
				if err := m.roundTrip(extensions[ext.ID].codec, v, text); err != nil {
					t.Fatalf("%s: %v", s.Go, err)
				}
				if path, framed := b.extensionPlace(s, text); path != "" && !m.extra {
					judged[s.Go] = true
					if err := schemas.Validate(b.schemas[m.rev].Revision, path, framed, true); err != nil {
						t.Fatalf("%s: %v\n%s", s.Go, err, framed)
					}
				}
			}
		}
		for _, s := range b.p.Structs {
			if named := b.schemas[0].Lookup(s.Schema) != nil; named && !judged[s.Go] {
				t.Errorf("no value of %s was judged", s.Go)
			}
		}
		t.Logf("%d of %d structs were judged, the others as their parts", len(judged), len(b.p.Structs))
	})
}

// roundTrip decodes a struct again.
func (m *maker) roundTrip(c versionCodec, v any, text []byte) error {
	if err := wire.Check(text, wire.Limits{}); err != nil {
		return err
	}
	back := reflect.New(reflect.TypeOf(v).Elem()).Interface()
	d := wire.NewDecoder(text)
	c.decode(&d, m.rev, back)
	if err := d.Err(); err != nil {
		return fmt.Errorf("does not decode: %w\n%s", err, text)
	}
	if !reflect.DeepEqual(v, back) {
		return fmt.Errorf("%s\ndecodes to what encodes to\n%s", text, c.encode(m.rev, back))
	}
	return nil
}

// extensionPlace returns what describes a struct in the schema, and the text as that has it: a definition, the union
// that the struct is a member of, or the request or notification whose params it is.
func (b *tables) extensionPlace(s *ir.Struct, text []byte) (string, []byte) {
	newest := b.schemas[len(b.schemas)-1]
	if newest.Lookup(s.Schema) != nil {
		return s.Schema, text
	}
	for _, u := range b.p.Unions {
		member := slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return v.Struct == s.Go })
		if member && newest.Lookup(u.Schema) != nil {
			return u.Schema, text
		}
	}
	for _, x := range b.p.Methods {
		if x.Params != s.Go {
			continue
		}
		d := newest.Lookup(strings.TrimSuffix(s.Schema, "Params"))
		frame := map[string]json.RawMessage{"method": wire.AppendString(nil, x.Name), "params": text}
		if len(d.Node.AllOf) > 0 || d.Node.Property("jsonrpc") != nil {
			maps.Copy(frame, map[string]json.RawMessage{"jsonrpc": json.RawMessage(`"2.0"`), "id": json.RawMessage("1")})
		}
		framed, _ := json.Marshal(frame)
		return d.Name, framed
	}
	return "", nil
}

// TestExtensionUnions encodes members of every union through its own functions.
func TestExtensionUnions(t *testing.T) {
	eachExtension(t, func(t *testing.T, ext *schema.Extension, b *tables) {
		for _, u := range b.p.Unions {
			m, c := &maker{Rand: rand.New(rand.NewSource(1)), tables: b,
				rev: len(b.schemas) - 1}, extensions[ext.ID].unions[u.Go]
			for range 4 * rounds {
				v := m.member(u, 0).Interface()
				text := c.encode(m.rev, v)
				d := wire.NewDecoder(text)
				if back := c.decode(&d, m.rev); d.Err() != nil || !reflect.DeepEqual(v, back) {
					t.Errorf("%s: %T decodes to %T (%v)\n%s", u.Go, v, back, d.Err(), text)
				}
			}
		}
	})
}
