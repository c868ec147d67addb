package load

// Selects reports whether code of p, or of a package in its module that imports p, has one of the names behind a dot.
// Tests and our own output do not count, nor what the go command would leave out. It only serves advice:
// files need not parse, and what cannot be read is skipped. The first call that finds nothing in p itself
// reads the disk. It is not safe for concurrent use.
func (p *Package) Selects(names ...string) bool {
	s := &p.selected
	if s.names == nil {
		s.names = map[string]bool{}
		for _, f := range p.Files {
			s.add(f.Src)
		}
	}
	if s.hasAny(names) || s.importersRead {
		return s.hasAny(names)
	}
	s.importersRead = true
	s.addImporters(p.Path, p.Dir)
	if p.moduleDir != "" {
		s.addImporters(p.Path, p.moduleDir)
	}
	return s.hasAny(names)
}
