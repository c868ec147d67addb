package server

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Member is a server that can be passed to [Join]: a [Server], or a generated type that embeds one.
type Member interface{ member() *Server }

func (s *Server) member() *Server { return s }

// prefixed is a member with a prefix before the names of its tools and prompts; see [Prefixed].
type prefixed struct {
	Member
	prefix string
}

// Prefixed returns a member for [Join] that offers the features of m, with prefix before the names of tools and
// prompts. So members with equal names can be joined. URIs of resources stay as they are, and m itself does not change.
// The prefix has 1 to 64 characters of A-Z a-z 0-9 _ . and -. Join returns an error for another prefix, and if the name
// of a tool becomes longer than 128 characters.
func Prefixed(prefix string, m Member) Member { return prefixed{m, prefix} }

// unwrap returns the server of a member and the whole prefix of its names; an error if the member is nil or a prefix is
// not valid.
func unwrap(m Member) (s *Server, prefix string, err error) {
	for {
		p, ok := m.(prefixed)
		if !ok {
			break
		}
		if !isPrefix(p.prefix) {
			return nil, "", fmt.Errorf("mcp: Prefixed: %q cannot stand before a name", p.prefix)
		}
		m, prefix = p.Member, p.prefix+prefix
	}
	if m == nil || m.member() == nil {
		return nil, "", errors.New("it is nil")
	}
	return m.member(), prefix, nil
}

// isPrefix reports whether s may be a prefix of names, see [Prefixed].
func isPrefix(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || 'z' < c) && (s[i] < '0' || '9' < s[i]) && s[i] != '_' && s[i] != '.' && s[i] != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Join returns a server that offers the features of f and all features that the members offer. In lists, those of f
// come first. Nil opts means the defaults. The options of the members do not count, except that features which their
// tags exclude stay excluded. Join returns an error if two features have the same URI, templates that match the same
// URI, or the same name of a tool or a prompt. [Prefixed] changes the names of a member.
//
// The members stay usable. Their methods, such as the generated Updated, and their switches reach the clients of the
// joined server too, and they may also be served alone. Close the joined server before its members.
//
// Tools that are added to a member with AddTool, before Join or later, are joined too. The joined server needs
// [Options.DynamicTools] of its own if they may change while clients are served.
//
// The joined server has the capabilities of f and of all members. Its instructions are those of f, followed by those of
// the members.
func Join(f *feature.Features, opts *Options, members ...Member) (*Server, error) {
	var parts []*joins
	var prefixes []string
	all := []*feature.Features{f}
	for i, m := range members {
		part, prefix, err := unwrap(m)
		if err != nil {
			return nil, fmt.Errorf("mcp: Join: member %d: %w", i, err)
		}
		if part.opts.Bus != nil {
			return nil, fmt.Errorf("mcp: Join: member %d (%s) has Options.Bus: only the joined server may have one",
				i, part.features.Info.Name)
		}
		if part.opts.Tasks.Store != nil && (opts == nil || opts.Tasks.Store == nil) {
			return nil, fmt.Errorf("mcp: Join: member %d (%s) has Options.Tasks.Store, and the joined server, which keeps the "+
				"tasks of all, has none", i, part.features.Info.Name)
		}
		parts, prefixes = append(parts, &part.joins), append(prefixes, prefix)
		offered := feature.Renamed(part.declared(), prefix)
		for k := range offered.Tools {
			if err := feature.CheckLength(offered.Tools[k].Entry.Name); err != nil {
				return nil, fmt.Errorf("mcp: Join: member %d: tool %q: %w", i, offered.Tools[k].Entry.Name, err)
			}
		}
		all = append(all, offered)
	}
	features, err := feature.Join(all)
	if err != nil {
		return nil, err
	}
	s, err := newServer(features, opts, parts...)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		s.usages.CountWith(&p.of.usages)
	}
	for i, p := range parts {
		if err := p.of.offeredBy(s, prefixes[i]); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	connectReplicas(s)
	if s.replicas == nil {
		linkReplicas(s)
	}
	beginTasks(s)
	return s, nil
}

// offeredBy makes s a member of c, with prefix before its names: c gets the added tools of s, and the features that are
// switched off in s are switched off in c. It returns an error if c already has a tool with the name of an added one.
func (s *Server) offeredBy(c *Server, prefix string) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	if err := c.added.join(&s.added, prefix); err != nil {
		return err
	}
	s.joins.changeContainers(func(list []container) []container { return append(list, container{&c.joins, prefix}) })
	s.features.All(func(k feature.Kind, i int, _ feature.Feature) {
		if s.registry.Off(k, i) {
			c.enableHere(k, feature.Kinds[k].ID(&s.features, i), false)
		}
	})
	return nil
}
