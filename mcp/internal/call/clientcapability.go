package call

import (
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ClientCapability is a set of things that a client can be asked for.
type ClientCapability uint8

// The capabilities of clients.
const (
	Elicitation     ClientCapability = 1 << iota // forms for the user, since 2025-06-18
	ElicitationURL                               // web pages for the user, since 2025-11-25
	Sampling                                     // the model
	SamplingTools                                // the model, with tools, since 2025-11-25
	Roots                                        // the folders
	Apps                                         // pages of the server, shown beside results of tools
	SamplingContext                              // the model, with context of the client; declared since 2025-11-25
)

// capabilityNames has, for each bit, the names that a client declares in its capabilities.
var capabilityNames = [...]struct {
	a          ClientCapability
	name, mode string
}{
	{Elicitation, "elicitation", "form"},
	{ElicitationURL, "elicitation", "url"},
	{Sampling, "sampling", ""},
	{SamplingTools, "sampling", "tools"},
	{Roots, "roots", ""},
	{Apps, "extensions", AppsExtension},
	{SamplingContext, "sampling", "context"},
}

// String lists the names of the capabilities, such as "elicitation.form, roots".
func (a ClientCapability) String() string {
	var list []string
	for _, n := range capabilityNames {
		if a&n.a != 0 {
			list = append(list, strings.TrimSuffix(n.name+"."+n.mode, "."))
		}
	}
	return strings.Join(list, ", ")
}

// MissingCapabilityError says that the client cannot be asked, because it has not declared that it can. If a handler
// returns it, clients of 2026-07-28 get code -32021 with what is missing; in older revisions it is an error like
// others, whose text the client sees.
type MissingCapabilityError struct{ Missing ClientCapability }

// Error implements error.
func (e *MissingCapabilityError) Error() string {
	return "the client does not have the capability " + e.Missing.String()
}

// PublicText is the text for clients, for [wire.PublicText].
func (e *MissingCapabilityError) PublicText() string { return e.Error() }

// MissingCapability returns the response to a request whose handler has failed with a [MissingCapabilityError]. It is
// nil for other errors, and in revisions that have no code for it.
func MissingCapability(err error, rev protocol.Revision) *wire.Error {
	missing, ok := errors.AsType[*MissingCapabilityError](err)
	if !ok || !era.IsModern(rev) {
		return nil
	}
	required := RequiredCapabilities(missing.Missing)
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), rev)
	return &wire.Error{Code: protocol.CodeMissingRequiredClientCapability, Message: missing.Error(),
		Data: append(data, '}')}
}

// RequiredCapabilities returns a set of capabilities in the form in which a client declares them.
func RequiredCapabilities(a ClientCapability) (required protocol.ClientCapabilities) {
	if a&(Elicitation|ElicitationURL) != 0 {
		required.Elicitation = new(protocol.ClientCapabilitiesElicitation)
	}
	if a&Elicitation != 0 {
		required.Elicitation.Form = new(protocol.ClientCapabilitiesElicitationForm)
	}
	if a&ElicitationURL != 0 {
		required.Elicitation.URL = new(protocol.ClientCapabilitiesElicitationURL)
	}
	if a&(Sampling|SamplingTools|SamplingContext) != 0 {
		required.Sampling = new(protocol.ClientCapabilitiesSampling)
	}
	if a&SamplingTools != 0 {
		required.Sampling.Tools = new(protocol.ClientCapabilitiesSamplingTools)
	}
	if a&SamplingContext != 0 {
		required.Sampling.Context = new(protocol.ClientCapabilitiesSamplingContext)
	}
	if a&Roots != 0 {
		required.Roots = new(protocol.ClientCapabilitiesRoots)
	}
	return required
}

// CapabilitiesOf returns the capabilities that a client has declared. An elicitation capability without modes means
// forms, as it did before there were modes. Capabilities that rev does not have are left out.
func CapabilitiesOf(c *protocol.ClientCapabilities, rev protocol.Revision) (a ClientCapability) {
	if c == nil {
		return 0
	}
	if e := c.Elicitation; e != nil {
		if e.Form != nil || e.URL == nil {
			a |= Elicitation
		}
		if e.URL != nil {
			a |= ElicitationURL
		}
	}
	if s := c.Sampling; s != nil {
		a |= Sampling
		if s.Tools != nil {
			a |= SamplingTools
		}
		if s.Context != nil || rev < era.ChoicesSince { // nothing had to be declared for it before
			a |= SamplingContext
		}
	}
	if c.Roots != nil {
		a |= Roots
	}
	if HasApps(c) {
		a |= Apps
	}
	if rev < era.AppsSince {
		a &^= Apps
	}
	if rev < era.FormsSince {
		a &^= Elicitation
	}
	if rev < era.ChoicesSince {
		a &^= ElicitationURL | SamplingTools
	}
	return a
}

const (
	// AppsExtension is the identifier of the extension with which servers have pages that clients display.
	AppsExtension = "io.modelcontextprotocol/ui"
	// AppType is the media type of such a page.
	AppType = "text/html;profile=mcp-app"
)

// HasApps reports whether a client displays apps. It must have declared the extension, in the handshake of any revision
// or in a request of 2026-07-28, and the media type of apps among those that it displays.
func HasApps(c *protocol.ClientCapabilities) bool {
	settings, ok := ExtensionOf(c, AppsExtension)
	if !ok {
		return false
	}
	list, _ := wire.Lookup(settings, "mimeTypes")
	d := wire.NewDecoder(list)
	if d.Kind() != wire.KindArray || !d.Array() {
		return false
	}
	for d.More() {
		if d.Kind() != wire.KindString {
			d.Skip()
		} else if d.String() == AppType {
			return true
		}
	}
	return false
}

// ExtensionOf returns the settings of an extension that a client declares. It looks in Extra as well, because older
// revisions have no member for extensions.
func ExtensionOf(c *protocol.ClientCapabilities, id string) ([]byte, bool) {
	if settings, ok := c.Extensions.Get(id); ok {
		return settings, true
	}
	all, _ := c.Extra.Get(MemberExtensions)
	return wire.Lookup(all, id)
}

// MemberExtensions is the name of the member for extensions, which client capabilities have since 2026-07-28.
const MemberExtensions = "extensions"
