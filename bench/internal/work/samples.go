package work

// Names of the servers in samples and tables.
const (
	Ours  = "mcpgen"
	SDK   = "go-sdk"
	MCPGo = "mcp-go"
	Floor = "floor"
	Echo  = "echo"
	Hello = "hello"
	Null  = "net/http"
	// Before is this project as another checkout has it.
	Before = "before"
	// AtOnce is ours with an UpdateDelay of 0.
	AtOnce = "mcpgen at once"

	// Propagation and Native are modes of module otel.
	Propagation = "propagation"
	Native      = "native"

	// These are callers of module auth: one whose token is known, and those of tokens that are not, by their signatures.
	Known, RS256, ES256, EdDSA = "known token", "RS256", "ES256", "EdDSA"
	// DPoP is a known token with a new proof.
	DPoP = "known token, DPoP"
)

// Headline returns the name of the program that serves the headline rows of a library on stdio.
func Headline(library string) string { return library + "-headline" }

// Sample is what one slice in memory has cost for each request.
type Sample struct{ NS, Allocs, Bytes float64 }

// MicroRow is one row in memory: for each library a sample of every round.
type MicroRow struct {
	Name    string
	Era     Era
	Samples map[string][]Sample
	// Refused says which libraries gave no right answer, and what they gave.
	Refused []string
}
