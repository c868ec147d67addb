// Package desk is the help desk of a small office: prompts that put its tickets before a model.
//
//mcp:server name=desk version=1.0.0 title="Help desk"
package desk

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Tone is how an answer sounds.
//
//mcp:enum
type Tone string

// The tones.
const (
	Friendly Tone = "friendly"
	Formal   Tone = "formal"
	Brief    Tone = "brief"
)

// Ticket is a question to the office.
type Ticket struct {
	Project string
	Number  int
	Title   string
	Body    string
	Open    bool
}

// Desk answers questions. Its tickets are not changed while it serves.
type Desk struct {
	Tickets []Ticket
	// Photo is the picture of a broken printer, and Call a voice message.
	Photo, Call []byte
}

// find returns a ticket.
func (d *Desk) find(project string, number int) (*Ticket, error) {
	for i := range d.Tickets {
		if t := &d.Tickets[i]; t.Project == project && t.Number == number {
			return t, nil
		}
	}
	return nil, mcp.Errorf("no ticket %s/%d", project, number)
}

// Welcome greets somebody who is new.
//
//mcp:prompt
func Welcome(ctx context.Context) (string, error) {
	return "Say hello, and explain how to open a ticket.", nil
}

// Review asks for an answer to a ticket.
//
//mcp:prompt title="Review a ticket" tags=staff
//mcp:arg project title=Project "desc=Key of the project, such as OPS" pattern=[A-Z]+
//mcp:arg number "desc=Ticket number within the project" min=1
//mcp:arg tone default=friendly
//mcp:icon src=https://example.com/pen.svg mime=image/svg+xml
//mcp:meta com.example/owner=office
func (d *Desk) Review(ctx context.Context, project string, number int, tone Tone) ([]mcp.Message, error) {
	t, err := d.find(project, number)
	if err != nil {
		return nil, err
	}
	return []mcp.Message{
		mcp.UserText("Write a " + string(tone) + " answer to this ticket."),
		{Role: protocol.RoleUser, Content: &protocol.EmbeddedResource{Resource: &protocol.TextResourceContents{
			URI:      "tickets:///" + project + "/" + strconv.Itoa(number),
			MIMEType: "text/markdown",
			Text:     "# " + t.Title + "\n\n" + t.Body + "\n",
		}}},
		mcp.AssistantText("Which device is it?"),
	}, nil
}

// CompleteProject proposes the projects that have tickets.
//
//mcp:complete of=Review var=project
func (d *Desk) CompleteProject(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	for _, t := range d.Tickets {
		if strings.HasPrefix(t.Project, prefix) && !slices.Contains(out, t.Project) {
			out = append(out, t.Project)
		}
	}
	return out, nil
}

// CompleteNumber proposes the tickets of a project.
//
//mcp:complete of=review var=number
func (d *Desk) CompleteNumber(ctx context.Context, prefix, project string) ([]string, error) {
	var out []string
	for _, t := range d.Tickets {
		if n := strconv.Itoa(t.Number); strings.HasPrefix(n, prefix) && (project == "" || t.Project == project) {
			out = append(out, n)
		}
	}
	return out, nil
}

// theLog is a file that came with a ticket.
var theLog = &protocol.EmbeddedResource{Resource: &protocol.BlobResourceContents{
	URI: "files:///log.gz", MIMEType: "application/gzip", Blob: []byte{0x1f, 0x8b},
}}

// Evidence shows everything that came with a ticket, in every form that a message can have.
//
//mcp:prompt
//mcp:availability proto=2025-03-26..
func (d *Desk) Evidence(ctx context.Context) (mcp.PromptResult, error) {
	important := 0.9
	return mcp.PromptResult{
		Description: "What came with ticket OPS/1.",
		Messages: []mcp.Message{
			{Role: protocol.RoleUser, Content: &protocol.ImageContent{
				Data: d.Photo, MIMEType: "image/png", Annotations: &protocol.Annotations{Priority: &important},
			}},
			{Role: protocol.RoleUser, Content: &protocol.AudioContent{Data: d.Call, MIMEType: "audio/wav"}},
			{Role: protocol.RoleUser, Content: theLog},
			{Role: protocol.RoleUser, Content: mcp.LinkTo("tickets:///OPS/1", "")},
		},
	}, nil
}

// ReportIn are the arguments of a report.
type ReportIn struct {
	// Since is where the report begins.
	Since time.Time `json:"since"`
	// Limit is the most tickets of the report.
	Limit uint8
	// Open leaves out what is done.
	Open *bool `json:"open"`
	// From is the address that asked.
	From netip.Addr
	// Every is how often it is wanted.
	Every time.Duration `json:"every"`
}

// Report sums up what has happened.
//
//mcp:prompt name=desk-report
//mcp:toggle
//mcp:arg since layout=2006-01-02 default=2026-01-01
//mcp:arg max_tickets param=Limit default=10 min=1 max=100
//mcp:arg open complete=none
//mcp:arg every "desc=Time between reports" title=Interval default=24h example=168h
func (d *Desk) Report(ctx context.Context, in *ReportIn) (mcp.Message, error) {
	open := "any"
	if in.Open != nil {
		open = strconv.FormatBool(*in.Open)
	}
	return mcp.UserText(fmt.Sprintf("Sum up at most %d tickets since %s for %v every %v; open: %s.",
		in.Limit, in.Since.Format(time.DateOnly), in.From, in.Every, open)), nil
}
