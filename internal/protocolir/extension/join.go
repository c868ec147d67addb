// Package extension makes one schema of each version of an extension and the revision of the core that it extends.
package extension

import (
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Join returns the versions of an extension, each as one schema with the revision of the core that it extends.
func Join(ext *schema.Extension, core *Core) (*Joined, error) {
	x := &Joined{Core: core, Extension: ext, Exceptions: ext.Exceptions.Over(core.Exceptions), Own: map[string]bool{},
		Files: map[string]bool{}}
	for _, v := range schema.OldestFirst(ext.Versions) {
		s, err := x.join(v)
		if err != nil {
			return nil, err
		}
		x.Schemas = append(x.Schemas, s)
	}
	return x, nil
}

// join returns one version of an extension together with the revision of the core that it extends, as one schema: the
// definitions of the core, those that the extension adds, and the lists of who sends which of its methods.
func (x *Joined) join(v *schema.Schema) (*schema.Schema, error) {
	base, err := x.base(v)
	if err != nil {
		return nil, err
	}
	x.bases = append(x.bases, base)
	x.Files[v.File] = true
	j := &joiner{Joined: x, version: v, base: x.Core.Schemas[base], defs: map[string]*schema.Def{}, keys: newShapes()}
	for _, w := range v.Warnings {
		x.Warnings = append(x.Warnings, w)
	}
	if err := j.add(); err != nil {
		return nil, err
	}
	for _, d := range j.own {
		if err := j.normalize(d.Name, d.Node); err != nil {
			return nil, err
		}
	}
	j.refer()
	if err := j.flattenAll(); err != nil {
		return nil, err
	}
	if err := j.roles(); err != nil {
		return nil, err
	}
	for _, d := range j.own {
		x.Own[d.Name] = true
	}
	defs := slices.Clone(j.own)
	for _, d := range j.base.Defs {
		if j.defs[d.Name] == d {
			defs = append(defs, d)
		}
	}
	return schema.New(v.File, v.Revision, append(defs, j.lists...)), nil
}

// add sorts the definitions of the extension into those that repeat the core's and those that are new.
func (j *joiner) add() error {
	for _, d := range j.base.Defs {
		j.defs[d.Name] = d
	}
	var problems []error
	repeated := 0
	for _, d := range j.version.Defs {
		core := j.base.Lookup(d.Name)
		if core == nil {
			j.own = append(j.own, &schema.Def{Name: d.Name, Node: d.Node.Clone()})
			continue
		}
		if j.keys.of(d.Node) == j.keys.of(core.Node) || j.alike(d.Node, core.Node, 0) {
			repeated++
			continue
		}
		problems = append(problems,
			schema.Errorf(d.Node.Pos, "%s has another form than in revision %s of the core (%s), which has that name; "+
				"make it the same, or give it a name of its own", d.Name, j.base.Revision, core.Node.Pos))
	}
	if len(j.own) == 0 && len(problems) == 0 {
		problems = append(problems, schema.Errorf(schema.Pos{File: j.version.File, Line: 1, Col: 1},
			"every definition is one of revision %s of the core; is this the schema of an extension?", j.base.Revision))
	}
	for _, d := range j.own {
		j.defs[d.Name] = d
	}
	return errors.Join(problems...)
}

// roles makes the lists of methods that a schema of the core has and that of an extension has not.
func (j *joiner) roles() error {
	lists := map[[2]string]*schema.Node{}
	for _, r := range j.Exceptions.Roles {
		if r.Kind == "result" {
			continue
		}
		n := &schema.Node{Pos: schema.Pos{File: j.version.File, Line: 1, Col: 1}}
		lists[[2]string{r.From, r.Kind}] = n
		j.lists = append(j.lists, &schema.Def{Name: r.Name, Node: n})
		delete(j.defs, r.Name)
	}
	var problems []error
	for _, d := range j.own {
		method := revision.MethodOf(d.Node)
		if method == "" {
			continue
		}
		if other := j.coreMethod(method); other != nil {
			problems = append(problems,
				schema.Errorf(d.Node.Pos, "%s has the method %q, and so has %s of revision %s of the core (%s)",
					d.Name, method, other.Name, j.base.Revision, other.Node.Pos))
			continue
		}
		kind := revision.KindOfMessage(d.Name, method)
		senders, err := j.senders(d, method, kind)
		if err != nil {
			problems = append(problems, err)
		}
		for _, from := range senders {
			if n := lists[[2]string{from, kind}]; n != nil {
				n.AnyOf = append(n.AnyOf, &schema.Node{Pos: d.Node.Pos, Ref: d.Name})
			}
		}
	}
	return errors.Join(problems...)
}

// senders returns who sends a method. Without a table, clients send requests and servers notifications.
func (j *joiner) senders(d *schema.Def, method, kind string) ([]string, error) {
	switch from := j.Exceptions.Sender(method); from {
	case "client", "server":
		return []string{from}, nil
	case "both":
		return []string{"client", "server"}, nil
	case "":
		if len(j.Exceptions.From) > 0 {
			return nil, schema.Errorf(d.Node.Pos,
				"nothing says who sends the %s %q; write \"client\", \"server\" or \"both\" for it into \"from\" of %s",
				kind, method, j.Table("exceptions.json"))
		}
		from = "client"
		if kind == "notification" {
			from = "server"
		}
		j.Warnings = append(j.Warnings, schema.Warnf(d.Node.Pos, "no table says who sends the %s \"%s\"; taken: the %s", kind,
			method, from))
		return []string{from}, nil
	default:
		return nil, schema.Errorf(d.Node.Pos, "%q in \"from\" of %s is %q; write client, server or both", method,
			j.Table("exceptions.json"), from)
	}
}

// coreMethod returns the definition of the core that has a method, or nil.
func (j *joiner) coreMethod(method string) *schema.Def {
	for _, d := range j.base.Defs {
		if revision.MethodOf(d.Node) == method {
			return d
		}
	}
	return nil
}
