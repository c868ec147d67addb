package config_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/config"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

var noon = time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)

// world is a server and what it serves.
type world struct {
	*config.ConfigServer
	config.ConfigImpl
}

func newWorld(t *testing.T) *world {
	t.Helper()
	var w world
	w.Settings = config.NewSettingsHolder(config.Settings{Theme: config.Light, FontSize: 12, Changed: noon})
	w.Banner = config.NewBannerHolder(config.Banner{Text: "*Welcome*", Kind: "Greeting"})
	w.Panel = &config.Panel{Settings: w.Settings, Now: func() time.Time { return noon.Add(time.Hour) }}
	srv, err := config.NewConfigServer(w.ConfigImpl, &mcp.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	w.ConfigServer = srv
	return &w
}

// A client reads settings, lets a tool change them, is told of another change, and reads again.
func TestWire(t *testing.T) {
	var w *world
	start := func(t *testing.T) mcptest.Server { w = newWorld(t); return w }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.Read("config:///settings")
		c.Read("config:///banner")
		c.Call("set_theme", `{"theme":"dark"}`)
		sub := c.Subscribe("config:///settings")
		if err := w.Settings.Update(func(s *config.Settings) error { s.FontSize = 14; return nil }); err != nil {
			t.Fatal(err)
		}
		sub.Next()
		c.Read("config:///settings")
		sub.Close()
	})
}

// The list shows the time and the length of what is there now.
func TestListIsOfNow(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		w := newWorld(t)
		c := mcptest.New(t, w, mcptest.WithRevision(rev))
		check := func(modified string, size int64) {
			t.Helper()
			list := c.List()
			if len(list) != 2 || list[0].URI != "config:///settings" || list[1].URI != "config:///banner" ||
				list[1].Title != "Greeting" && rev > protocol.Revision20250326 {
				t.Fatalf("%v: list %v", rev, list)
			}
			s := list[0]
			if s.Annotations == nil || len(s.Annotations.Audience) != 1 {
				t.Fatalf("%v: the declared annotations are lost: %+v", rev, s.Annotations)
			}
			if rev >= protocol.Revision20250618 && s.Annotations.LastModified != modified {
				t.Errorf("%v: last modified %q, want %q", rev, s.Annotations.LastModified, modified)
			}
			if s.Size == nil || *s.Size != size {
				t.Errorf("%v: size %v, want %d", rev, s.Size, size)
			}
		}
		check("2026-07-28T12:00:00Z", int64(len(c.Read("config:///settings"))))
		if err := w.Panel.SetTheme(t.Context(), config.SetThemeIn{Theme: config.Dark}); err != nil {
			t.Fatal(err)
		}
		check("2026-07-28T13:00:00Z", int64(len(`{"theme":"dark","fontSize":12}`)))
	}
}

// Only what clients would see a difference in is announced: a change of the banner that is none, or of the
// time alone, is not.
func TestOnlyChangesAreAnnounced(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		w := newWorld(t)
		c := mcptest.New(t, w, mcptest.WithRevision(rev))
		settings, banner := c.Subscribe("config:///settings"), c.Subscribe("config:///banner")
		same := w.Settings.Get()
		same.Changed = noon.Add(24 * time.Hour)
		for _, err := range []error{
			w.Settings.Set(same),
			w.Banner.Update(func(b *config.Banner) error { b.Text += ""; return nil }),
			w.Banner.Update(func(b *config.Banner) error { b.Kind = "Warning"; return nil }),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		banner.Next() // the title is seen in lists
		if err := w.Settings.Update(func(s *config.Settings) error { s.FontSize++; return nil }); err != nil {
			t.Fatal(err)
		}
		settings.Next()
		if n := settings.Pending() + banner.Pending(); n != 0 {
			t.Errorf("%v: %d updates too many", rev, n)
		}
	}
}

// A holder can be served by several servers, and a closed one hears no more.
func TestTwoServers(t *testing.T) {
	a := newWorld(t)
	b, err := config.NewConfigServer(a.ConfigImpl, &mcp.Options{UpdateDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	ca, cb := mcptest.New(t, a), mcptest.New(t, b)
	sa, sb := ca.Subscribe("config:///banner"), cb.Subscribe("config:///banner")
	if err := a.Banner.Set(config.Banner{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	sa.Next()
	sb.Next()
	if cb.Read("config:///banner") != "x" {
		t.Error("the second server has another value")
	}
}

// The constructor asks for every holder.
func TestMissingHolder(t *testing.T) {
	w := newWorld(t)
	for _, impl := range []config.ConfigImpl{{Banner: w.Banner, Panel: w.Panel}, {Settings: w.Settings, Panel: w.Panel},
		{Settings: w.Settings, Banner: w.Banner}} {
		if _, err := config.NewConfigServer(impl, nil); err == nil {
			t.Error("a server without a holder")
		}
	}
}
