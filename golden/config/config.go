// Package config serves the settings of a program, which clients watch and a tool changes.
//
//mcp:server name=config version=1.0.0 title="Live settings"
package config

import (
	"context"
	"time"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

// Theme is how the program looks.
//
//mcp:enum
type Theme string

// The themes.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Settings are the settings of the program.
//
//mcp:resource uri=config:///settings subscribe
//mcp:annotate audience=assistant
type Settings struct {
	Theme    Theme     `json:"theme"`
	FontSize int       `json:"fontSize"`
	Changed  time.Time `json:"-" mcp:"modified"`
}

// Banner is the line above every page.
//
//mcp:resource uri=config:///banner mime=text/markdown subscribe
type Banner struct {
	Text string `mcp:"text"`
	Kind string `mcp:"title"`
}

// Panel is what the administrator works with.
type Panel struct {
	Settings *SettingsHolder
	Now      func() time.Time
}

// SetThemeIn says which theme to use.
type SetThemeIn struct {
	// Theme to use from now on.
	Theme Theme `json:"theme"`
}

// SetTheme changes the theme of the program.
//
//mcp:tool idempotent
func (p *Panel) SetTheme(ctx context.Context, in SetThemeIn) error {
	return p.Settings.Update(func(s *Settings) error {
		s.Theme, s.Changed = in.Theme, p.Now()
		return nil
	})
}
