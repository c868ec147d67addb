package ir

// AppsExtension is the identifier of the extension of apps.
const AppsExtension = "io.modelcontextprotocol/ui"

// App is the page of an app: a Fixed resource whose Meta its contents have too.
type App struct {
	// Files says that the variable is an embed.FS, and Dir the directory with the page there.
	Files bool
	Dir   string
}
