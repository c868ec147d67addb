package clientconfig

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata again")

// The configurations of all clients are those of testdata.
func TestClients(t *testing.T) {
	var b strings.Builder
	for _, c := range Clients() {
		for _, s := range []Server{
			{Name: "notes", Command: "/home/ada/go/bin/notes", Args: []string{"-dir", `/srv/a "b" & c`}},
			{Name: "notes", URL: "https://mcp.example.com/mcp"},
		} {
			text, err := c.Text(&s)
			if err != nil {
				text = "error: " + err.Error() + "\n"
			}
			b.WriteString("-- " + c.Name + ": " + c.Title + ", " + c.File + "\n" + text)
		}
	}
	const file = "testdata/clients.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != b.String() {
		t.Errorf("%s is not what is written (%v); read the difference, then run with -update:\n%s", file, err, b.String())
	}
}
