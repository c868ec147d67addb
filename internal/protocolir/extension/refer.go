package extension

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// sameShape reports whether two schemas have the same key now. Schemas that change must not be asked by way of shapes
// that were made before.
func sameShape(a, b *schema.Node) bool {
	k := newShapes()
	return k.of(a) == k.of(b)
}

// shapes computes what of schemas decides about Go types, as keys that are equal for equal shapes. It knows the keys of
// schemas as they were when it was asked first.
type shapes struct{ known map[*schema.Node]string }

func newShapes() *shapes { return &shapes{known: map[*schema.Node]string{}} }

func (k *shapes) of(n *schema.Node) string {
	if n == nil {
		return ""
	}
	if key, ok := k.known[n]; ok {
		return key
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %t %t", n.Ref, slices.Sorted(slices.Values(n.Types)), n.Format == "byte", n.Never)
	if n.Const != nil {
		fmt.Fprintf(&b, " const %v", *n.Const)
	}
	values := slices.Clone(n.Enum)
	sort.Slice(values, func(i, j int) bool { return values[i].Text < values[j].Text })
	fmt.Fprintf(&b, " enum %v required %q declared %t open %t", values, slices.Sorted(slices.Values(n.Required)),
		n.Declared, n.Open && len(n.Properties) == 0)
	for _, p := range n.Properties {
		fmt.Fprintf(&b, " %q:%s", p.Name, k.of(p.Node))
	}
	fmt.Fprintf(&b, " items %s additional %s any", k.of(n.Items), k.of(n.Additional))
	for _, alt := range n.AnyOf {
		b.WriteString(" " + k.of(alt))
	}
	b.WriteString(" all")
	for _, part := range n.AllOf {
		b.WriteString(" " + k.of(part))
	}
	sum := sha256.Sum256([]byte(b.String()))
	key := fmt.Sprintf("%x", sum[:16])
	k.known[n] = key
	return key
}

// refer makes references of anonymous schemas that repeat a definition, of the extension or of the core: some schemas
// are written without references.
func (j *joiner) refer() {
	r := &referrer{j, map[string][]string{}, map[string][]*schema.Def{}}
	for _, d := range j.own {
		if strings.HasSuffix(d.Name, "Result") {
			continue // the params of a request may look like it
		}
		if len(d.Node.Properties) > 0 || len(d.Node.Enum) > 1 || len(d.Node.AnyOf) > 1 || len(d.Node.AllOf) > 1 {
			key := j.keys.of(d.Node)
			r.byKey[key] = append(r.byKey[key], d.Name)
		}
	}
	for _, d := range j.base.Defs {
		key := membersOf(d.Node)
		if _, fixed := j.Exceptions.Type(d.Name); key != "" && !fixed && revision.MethodOf(d.Node) == "" {
			r.byMembers[key] = append(r.byMembers[key], d)
		}
	}
	for _, d := range j.own {
		r.inside(d.Name, d.Node)
	}
}

type referrer struct {
	*joiner
	byKey     map[string][]string
	byMembers map[string][]*schema.Def
}

// inside looks at what a schema is made of.
func (r *referrer) inside(owner string, n *schema.Node) {
	for _, part := range n.Parts() {
		r.node(owner, part)
	}
	for _, p := range n.Properties {
		if p.Name != "_meta" {
			r.node(owner+"."+p.Name, p.Node)
		}
	}
}

func (r *referrer) node(path string, n *schema.Node) {
	if n.Ref != "" {
		return
	}
	if names := r.byKey[r.keys.of(n)]; len(names) == 1 {
		*n = schema.Node{Pos: n.Pos, Ref: names[0]}
		return
	}
	if name := r.coreDefinition(n); name != "" {
		r.notef(n.Pos, "%s is %s of the core", path, name)
		*n = schema.Node{Pos: n.Pos, Ref: name}
		return
	}
	r.inside(path, n)
}

// coreDefinition returns the only definition of the core that an anonymous schema repeats, or "".
func (r *referrer) coreDefinition(n *schema.Node) string {
	found := ""
	key := membersOf(n)
	if key == "" {
		return ""
	}
	for _, d := range r.byMembers[key] {
		if !r.alike(n, d.Node, 0) {
			continue
		}
		if found != "" {
			return ""
		}
		found = d.Name
	}
	return found
}

// membersOf is a key for schemas that may be alike: the names of at least two properties, or of the values of an
// enumeration. It is "" for others, which are too small to be told apart.
func membersOf(n *schema.Node) string {
	var names []string
	for _, p := range n.Properties {
		names = append(names, p.Name)
	}
	for _, v := range n.Enum {
		names = append(names, "="+v.Text)
	}
	if len(names) < 2 || len(n.AnyOf) > 0 || len(n.AllOf) > 0 {
		return ""
	}
	sort.Strings(names)
	return fmt.Sprintf("%q", names)
}

// alike reports whether a schema of an extension has the shape of one of the core, whose references it may have
// written out: the same properties, the same of them required, the same constants, and values of the same kinds.
// Numbers are alike, and so are an object of any members and one of some.
func (j *joiner) alike(n, core *schema.Node, depth int) bool {
	for ; core.Ref != ""; depth++ {
		if n.Ref == core.Ref {
			return true
		}
		core = j.base.Lookup(core.Ref).Node
		if depth > revision.MaxDepth {
			return false
		}
	}
	if n.Ref != "" || depth > revision.MaxDepth {
		return false
	}
	switch {
	case n.Const != nil || core.Const != nil:
		return n.Const != nil && core.Const != nil && *n.Const == *core.Const
	case len(n.AnyOf) > 0 || len(core.AnyOf) > 0:
		return j.alikeUnions(n, core, depth)
	case len(n.AllOf) > 0 || len(core.AllOf) > 0:
		return false
	case len(n.Properties) > 0 && len(core.Properties) > 0:
		return j.alikeObjects(n, core, depth)
	case len(n.Enum) > 0 || len(core.Enum) > 0:
		return membersOf(n) == membersOf(core)
	case n.Items != nil && core.Items != nil:
		return j.alike(n.Items, core.Items, depth+1)
	default:
		return kindsOf(n) == kindsOf(core)
	}
}

// kindsOf are the types of a schema with numbers as one of them.
func kindsOf(n *schema.Node) string {
	var out []string
	for _, t := range n.Types {
		if t == "integer" {
			t = "number"
		}
		out = append(out, t)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

func (j *joiner) alikeObjects(n, core *schema.Node, depth int) bool {
	if len(n.Properties) != len(core.Properties) || !slices.Equal(slices.Sorted(slices.Values(n.Required)),
		slices.Sorted(slices.Values(core.Required))) {
		return false
	}
	owner := j.nameOf(core)
	for _, p := range n.Properties {
		q := core.Property(p.Name)
		if q == nil {
			return false
		}
		if t, fixed := j.Exceptions.Type(owner + "." + p.Name); p.Name == "_meta" || fixed &&
			(t == "any" || t == "object" && p.Node.Is("object")) {
			continue
		}
		if !j.alike(p.Node, q.Node, depth+1) {
			return false
		}
	}
	return true
}

// nameOf returns the name of a definition of the core, or "" for what is in one.
func (j *joiner) nameOf(core *schema.Node) string {
	if i := slices.IndexFunc(j.base.Defs, func(d *schema.Def) bool { return d.Node == core }); i >= 0 {
		return j.base.Defs[i].Name
	}
	return ""
}

// alikeUnions asks for one alternative of the core for each of the extension, in any order.
func (j *joiner) alikeUnions(n, core *schema.Node, depth int) bool {
	if len(n.AnyOf) != len(core.AnyOf) {
		return false
	}
	taken := map[*schema.Node]bool{}
	for _, alt := range n.AnyOf {
		i := slices.IndexFunc(core.AnyOf, func(c *schema.Node) bool { return !taken[c] && j.alike(alt, c, depth+1) })
		if i < 0 {
			return false
		}
		taken[core.AnyOf[i]] = true
	}
	return true
}
