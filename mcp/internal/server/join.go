package server

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// Member is a server that others can be joined from: a [Server], or a generated type around one.
type Member interface{ member() *Server }

func (s *Server) member() *Server { return s }

// prefixed is a member whose tools and prompts have other names.
type prefixed struct {
	Member
	prefix string
}

// Prefixed returns m with prefix before the names of its tools and prompts, for [Join], so that members with equal
// names can be joined. The URIs of its resources stay as they are, and so do all names on m itself. The prefix has 1 to
// 64 characters of A-Z a-z 0-9 _ . and -. Join fails for another prefix, and if the name of a tool gets longer than 128
// characters.
func Prefixed(prefix string, m Member) Member { return prefixed{m, prefix} }

// unwrap returns the server of a member and the prefix of its names.
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

// isPrefix reports whether names may begin with s.
func isPrefix(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || 'z' < c) && (s[i] < '0' || '9' < s[i]) && s[i] != '_' && s[i] != '.' && s[i] != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Join returns a server that offers what f declares and, behind that, all that the members offer. Nil opts means the
// defaults. The options of the members do not count, except that features which their tags exclude stay excluded. It
// fails if two of them have the same URI, templates that match the same URI, or a tool or a prompt of the same name;
// [Prefixed] changes the names of a member.
//
// The members stay usable. Their methods, such as the generated Updated, and their switches reach the clients of the
// joined server too, and they may also be served alone. Close the joined server before its members.
//
// Tools that are added to a member with AddTool, before Join or later, are joined too. The joined server needs
// [Options.DynamicTools] of its own if they may change while clients are served.
//
// The capabilities are those of all parts. Instructions are those of f, followed by those of the members.
func Join(f *feature.Features, opts *Options, members ...Member) (*Server, error) {
	var parts []*Server
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
		parts, prefixes = append(parts, part), append(prefixes, prefix)
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
	s, err := newServer(features, opts)
	if err != nil {
		return nil, err
	}
	s.members = parts
	for _, p := range parts {
		s.countWith(p)
	}
	for i, p := range parts {
		if err := p.offeredBy(container{s, prefixes[i]}); err != nil {
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

// offeredBy makes s a member of the given container. s notes the container, which gets the added tools of s and the
// state of its switches. It is an error if the container has a tool of the same name.
func (s *Server) offeredBy(by container) error {
	toolChanges.Lock()
	defer toolChanges.Unlock()
	if err := by.addToolsOf(s, by.prefix); err != nil {
		return err
	}
	s.changeContainers(func(list []container) []container { return append(list, by) })
	s.features.All(func(k feature.Kind, i int, _ feature.Feature) {
		if s.registry.Off(k, i) {
			by.enableHere(k, feature.Kinds[k].ID(&s.features, i), false)
		}
	})
	return nil
}
