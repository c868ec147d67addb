package everything_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// The skills: their list, one of them, a file, a directory, and what there is not.
func TestSkills(t *testing.T) {
	t.Attr("requirements", "skill-capability skill-list skill-entry skill-read skill-directory skill-unknown "+
		"skill-uri skill-metadata skill-verbatim skill-result skill-cache skill-message")
	start := func(t *testing.T) mcptest.Server { return newServer(t) }
	transcript.Both(t, "skills", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do("skills/list", nil)
		c.Do("skills/get", []byte(`{"uri":"skill://team/triage/SKILL.md"}`))
		c.Read("skill://release-notes/templates/minor.md")
		c.Do("resources/directory/read", []byte(`{"uri":"skill://release-notes"}`))
		c.Do("resources/directory/read", []byte(`{"uri":"skill://release-notes/templates"}`))
		c.Do("skills/get", []byte(`{"uri":"skill://release-notes/templates/minor.md"}`))
		c.Do("skills/get", []byte(`{"uri":1}`))
		c.Do("skills/list", []byte(`{"cursor":"100"}`))
		c.Do("resources/directory/read", []byte(`{"uri":"skill://release-notes/SKILL.md"}`))
	})
}
