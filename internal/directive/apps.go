package directive

// Skill makes the skills in an embedded directory readable for clients (extension io.modelcontextprotocol/skills). The
// variable is an embed.FS. Each directory in it with a SKILL.md is a skill, at skill:// and the path of the directory:
// that below the embedded directory, or with it if it has a SKILL.md itself. Each file is a resource.
type Skill struct {
	// Path stands before the paths of the skills, as in skill://acme/billing/refunds/SKILL.md.
	Path String `option:"path" eg:"acme/billing"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"support"`
	Bind
}

// App makes an embedded page an app: clients that can do so display it beside the results of the tools that name it
// with ui=. The variable is embedded (//go:embed): a string or []byte with one HTML file, or an embed.FS with a
// directory. Its index.html is the page, and the scripts, styles and images to which it refers become parts of it.
//
// Clients display apps without access to the network, except for the hosts that the options name.
type App struct {
	// URI is the URI of the page.
	URI URI `option:"uri,required" eg:"ui://board/cards"`
	// Name identifies the app for programs; the default is the Go name in kebab-case.
	Name String `option:"name" eg:"cards"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"Card board\""`
	// Desc is the description, in place of the doc comment.
	Desc Text `option:"desc" eg:"@CARDS.md"`
	// Connect names the origins to which scripts may connect (csp.connectDomains).
	Connect List `option:"connect" eg:"https://api.example.com"`
	// Resources names the origins of scripts, styles, images, fonts and media (csp.resourceDomains).
	Resources List `option:"resources" eg:"https://*.example.com"`
	// Frames names the origins of pages in frames (csp.frameDomains).
	Frames List `option:"frames" eg:"https://video.example.com"`
	// Base names the origins that a base element may name (csp.baseUriDomains).
	Base List `option:"base" eg:"https://example.com"`
	// Permissions names what the page asks the browser for.
	Permissions Enums `option:"permissions" values:"camera,microphone,geolocation,clipboardWrite"`
	// Domain is an origin of its own for the page, in the form that the client prescribes.
	Domain String `option:"domain" eg:"cards.example.com"`
	// Border says whether the client shall draw a border around the page. Without it, the client decides.
	Border Bool `option:"border"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"ui"`
	Bind
}
