package feature

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxExtensions is how many extensions a server may have.
const maxExtensions = 32

// DeclaredExtensions has the declarations of the extensions of a server. It does not serve their methods.
type DeclaredExtensions struct {
	list    []declaredExtension
	methods map[string]DeclaredMethod
	err     error // what is wrong with extensions that were appended, for Check
}

// declaredExtension is an extension with its settings as JSON.
type declaredExtension struct {
	id        string
	settings  json.RawMessage
	revisions []string
	joins     JoinableExtension

	features []Guarded
	declared RevisionRange
	top      string
	filters  []Filter
	subjects bool
	attach   func(h *Host) (Extension, Attachment, error)
	attached Attachment
}

// DeclaredMethod is a method with the index of its extension.
type DeclaredMethod struct {
	*Method
	Of int
}

// NewDeclaredExtensions returns an empty set of extensions.
func NewDeclaredExtensions() *DeclaredExtensions {
	return &DeclaredExtensions{methods: map[string]DeclaredMethod{}}
}

// Append adds an extension. If something is wrong with it, Check returns the error.
func (x *DeclaredExtensions) Append(e *Extension) { x.err = errors.Join(x.err, x.addOne(e)) }

// addOne adds an extension with its methods.
func (x *DeclaredExtensions) addOne(e *Extension) error {
	if x.has(e.ID) {
		return fmt.Errorf("mcp: there are two extensions %q", e.ID)
	}
	x.list = append(x.list, declaredExtension{id: e.ID})
	return x.put(len(x.list)-1, e)
}

// put sets the i-th extension and adds its methods. It returns an error if x has a method of the same name, or if the
// settings or a method are not valid.
func (x *DeclaredExtensions) put(i int, e *Extension) error {
	settings, err := declaredSettings(e)
	if err != nil {
		return fmt.Errorf("mcp: settings of the extension %q: %w", e.ID, err)
	}
	x.list[i] = declaredExtension{
		id: e.ID, settings: settings, revisions: e.Revisions, joins: e.Joins,
		features: e.Features, declared: e.Declared, top: e.Top, filters: e.Filters, subjects: e.Subjects,
		attach: e.Attach,
	}
	for k := range e.Methods {
		m := &e.Methods[k]
		if _, twice := x.methods[m.Name]; twice {
			return fmt.Errorf("mcp: there are two methods %q", m.Name)
		}
		if m.Call == nil || counters.MethodOf([]byte(m.Name)) != counters.MethodOther {
			return fmt.Errorf("mcp: Extension %q: the method %q has no Call, or is one of the protocol", e.ID, m.Name)
		}
		if m.Since != "" && !slices.Contains(e.Revisions, m.Since) {
			return fmt.Errorf("mcp: Extension %q: the method %q is there since %q, which is no revision", e.ID, m.Name,
				m.Since)
		}
		x.methods[m.Name] = DeclaredMethod{m, i}
	}
	return nil
}

func (x *DeclaredExtensions) has(id string) bool { return x.find(id) >= 0 }

// ID returns the id of the i-th extension.
func (x *DeclaredExtensions) ID(i int) string { return x.list[i].id }

// Method finds a method.
func (x *DeclaredExtensions) Method(name []byte) (m DeclaredMethod, found bool) {
	m, found = x.methods[string(name)]
	return m, found
}

// Names returns the names of all methods.
func (x *DeclaredExtensions) Names() []string { return slices.Collect(maps.Keys(x.methods)) }

// Filters calls yield for each filter, with the index of its extension.
func (x *DeclaredExtensions) Filters(yield func(f *Filter, of int)) {
	for i := range x.list {
		for k := range x.list[i].filters {
			yield(&x.list[i].filters[k], i)
		}
	}
}

// NeedSubjects reports whether a part of some extension is only for callers with a subject.
func (x *DeclaredExtensions) NeedSubjects() bool {
	return slices.ContainsFunc(x.list, func(d declaredExtension) bool { return d.subjects })
}

// IsEmpty reports whether there are no extensions.
func (x *DeclaredExtensions) IsEmpty() bool { return len(x.list) == 0 }

// find returns the index of an extension; -1 if there is none.
func (x *DeclaredExtensions) find(id string) int {
	return slices.IndexFunc(x.list, func(d declaredExtension) bool { return d.id == id })
}

// Check returns an error if there are too many extensions, if one is not valid, or if filters contradict each other.
func (x *DeclaredExtensions) Check() error {
	if len(x.list) > maxExtensions {
		return fmt.Errorf("mcp: the server has %d extensions, and may have %d", len(x.list), maxExtensions)
	}
	return errors.Join(x.err, x.checkFilters())
}

// checkFilters reports filters that a listen could not tell apart, or that no client can ask for.
func (x *DeclaredExtensions) checkFilters() (err error) {
	known := map[string]bool{}
	x.Filters(func(f *Filter, of int) {
		d := &x.list[of]
		if known[f.Name] {
			err = errors.Join(err, fmt.Errorf("mcp: there are two filters %q", f.Name))
		}
		if known[f.Name] = true; f.Topics == nil || f.Since != "" && !slices.Contains(d.revisions, f.Since) {
			err = errors.Join(err, fmt.Errorf("mcp: Extension %q: the filter %q has no Topics, or is there since %q, which "+
				"is no revision", d.id, f.Name, f.Since))
		}
	})
	return err
}

// With returns the extensions of x and o. It unites an extension that both have. It fails if these have no Joins, or if
// two extensions have the same method.
func (x *DeclaredExtensions) With(o *DeclaredExtensions) (*DeclaredExtensions, error) {
	sum := &DeclaredExtensions{list: slices.Clone(x.list), methods: map[string]DeclaredMethod{}, err: x.err}
	maps.Copy(sum.methods, x.methods)
	places := make([]int, len(o.list))
	for i, d := range o.list {
		at := sum.find(d.id)
		if places[i] = at; at < 0 {
			places[i] = len(sum.list)
			sum.list = append(sum.list, d)
			continue
		}
		if err := sum.unite(at, d); err != nil {
			return nil, err
		}
		places[i] = -1 // unite has added its methods
	}
	for name, m := range o.methods {
		if m.Of = places[m.Of]; m.Of < 0 {
			continue
		}
		if _, twice := sum.methods[name]; twice {
			return nil, fmt.Errorf("mcp: Join: two members have a method %q", name)
		}
		sum.methods[name] = m
	}
	return sum, nil
}

// unite replaces the i-th extension by the union with other, which is the same extension of another member. It fails if
// one of them has no Joins.
func (x *DeclaredExtensions) unite(i int, other declaredExtension) error {
	mine := x.list[i].joins
	if mine == nil || other.joins == nil {
		return fmt.Errorf("mcp: Join: two members have an extension %q", other.id)
	}
	both, err := mine.With(other.joins)
	if err != nil {
		return fmt.Errorf("mcp: Join: %w", err)
	}
	maps.DeleteFunc(x.methods, func(_ string, m DeclaredMethod) bool { return m.Of == i })
	return x.put(i, &both)
}

// Offered returns x without each extension that has resources in f, all of which are off.
func (x *DeclaredExtensions) Offered(f *Features) *DeclaredExtensions {
	left := &DeclaredExtensions{methods: map[string]DeclaredMethod{}}
	for i, d := range x.list {
		has, offers := false, false
		for k := range f.Resources {
			if r := &f.Resources[k]; r.Extension == d.id {
				has, offers = true, offers || !r.Revisions.Off
			}
		}
		if has && !offers {
			continue
		}
		for name, m := range x.methods {
			if m.Of == i {
				left.methods[name] = DeclaredMethod{m.Method, len(left.list)}
			}
		}
		left.list = append(left.list, d)
	}
	return left
}

// Features calls yield for each method, each of Extension.Features and each filter.
func (x *DeclaredExtensions) Features(yield func(Feature)) {
	for _, m := range x.methods {
		yield(Feature{Name: m.Name, Served: &m.Revisions, Guard: m.Guard, logs: m.Logs})
	}
	for i := range x.list {
		for k := range x.list[i].features {
			f := &x.list[i].features[k]
			yield(Feature{Name: f.Name, Served: new(RevisionRange), tags: f.Tags, Guard: f.Guard})
		}
	}
	x.Filters(func(f *Filter, _ int) { yield(Feature{Name: f.Name, Served: new(RevisionRange), Guard: f.Guard}) })
}

// Declare adds the extensions to the capabilities for clients of rev. It sets the member extensions in all revisions,
// because clients in use look for it. In revisions without that member it also sets the member experimental.
func (x *DeclaredExtensions) Declare(c *protocol.ServerCapabilities, rev protocol.Revision) {
	if era.IsModern(rev) {
		c.Extensions = slices.Clone(c.Extensions)
		for _, d := range x.list {
			c.Extensions.Set(d.id, d.settings)
		}
		x.declareTop(c, rev)
		return
	}
	all := slices.Clone(c.Extensions) // those that features bring
	c.Experimental, c.Extra = slices.Clone(c.Experimental), slices.Clone(c.Extra)
	for _, d := range x.list {
		if d.declared.Has(rev) {
			c.Experimental.Set(d.id, d.settings)
			all.Set(d.id, d.settings)
		}
	}
	if len(all) > 0 {
		c.Extra.Set(call.MemberExtensions, wire.AppendMap(nil, all, wire.AppendObject))
	}
	x.declareTop(c, rev)
}

// declareTop adds extensions that also have a member of their own in the capabilities.
func (x *DeclaredExtensions) declareTop(c *protocol.ServerCapabilities, rev protocol.Revision) {
	for _, d := range x.list {
		if d.top != "" && d.declared.Has(rev) {
			c.Extra = slices.Clone(c.Extra)
			c.Extra.Set(d.top, d.settings)
		}
	}
}

// DeclaredBy returns the extensions that a legacy client has declared, and their settings.
func (x *DeclaredExtensions) DeclaredBy(
	c *protocol.ClientCapabilities) (set call.ExtensionSet, settings *call.ClientSettings,
) {
	for i, d := range x.list {
		_, found := call.ExtensionOf(c, d.id)
		if !found {
			_, found = c.Experimental.Get(d.id)
		}
		if found {
			set |= 1 << i
		}
	}
	return set, x.settingsOf(c)
}

// Notifies reports whether method is a notification of an extension.
func (x *DeclaredExtensions) Notifies(method []byte) bool {
	m, found := x.methods[string(method)]
	return found && m.Notification
}

// Members of the settings of an extension that has versions.
const (
	memberRevision  = "revision"  // of a client: the version that it speaks
	memberRevisions = "revisions" // of a server: those that it speaks
)

// declaredSettings returns the settings of e, with the versions that the server speaks if there are any. It fails if
// the versions are not in order, or if the settings have a member for versions already.
func declaredSettings(e *Extension) (json.RawMessage, error) {
	settings, err := call.SettingsOf(e.Settings)
	if err != nil || len(e.Revisions) == 0 {
		return settings, err
	}
	if !slices.IsSorted(e.Revisions) || len(slices.Compact(slices.Clone(e.Revisions))) != len(e.Revisions) {
		return nil, errors.New("the revisions are not in order, or one is there twice")
	}
	for _, name := range []string{memberRevision, memberRevisions} {
		if _, taken := wire.Lookup(settings, name); taken {
			return nil, fmt.Errorf("the member %q is that of the versions", name)
		}
	}
	var all wire.Extra
	d := wire.NewDecoder(settings)
	all.DecodeJSON(&d)
	all.Set(memberRevisions, json.RawMessage(wire.AppendStrings(nil, e.Revisions)))
	return all.AppendJSON(nil), d.Err()
}
