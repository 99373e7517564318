package knowledge

// Symbol is a declaration that the tables mention, whatever it does. Type stubs of a module that is missing are made of these.
type Symbol struct {
	Path, Recv, Name string
	Kind             string // func (a method where Recv is set), field, type, var, const
	Type             string // signature or type, package names as in the declaring file
	Value            string // of a constant, as Go source
}

func (s *Symbol) symbol() (path, recv, name string) { return s.Path, s.Recv, s.Name }

// LookupSymbol finds a field, type, variable or constant that the tables mention.
func (b *Base) LookupSymbol(path, recv, name string) (Symbol, bool) {
	for ; b != nil; b = b.below {
		if p := b.pkg(path); p != nil {
			if s, ok := find(b.tables.Symbols, p.symbols, (*Symbol).symbol, recv, name); ok {
				return s, true
			}
		}
	}
	return Symbol{}, false
}

// Symbols returns everything the tables know to be declared in an import path, functions and methods included, each once.
func (b *Base) Symbols(path string) []Symbol {
	type key struct{ recv, name string }
	seen := map[key]bool{}
	var out []Symbol
	add := func(s Symbol) {
		if k := (key{s.Recv, s.Name}); !seen[k] && s.Type != "" {
			seen[k] = true
			out = append(out, s)
		}
	}
	fn := func(recv, name, sig string, field, variable bool) {
		kind := "func"
		switch {
		case field:
			kind, sig = "field", "func"+sig
		case variable:
			kind, sig = "var", "func"+sig
		case sig == "":
			return
		}
		add(Symbol{Path: path, Recv: recv, Name: name, Kind: kind, Type: sig})
	}
	for ; b != nil; b = b.below {
		p := b.pkg(path)
		if p == nil {
			continue
		}
		for _, s := range b.tables.Symbols[p.symbols.lo:p.symbols.hi] {
			s.Path = path
			add(s)
		}
		for _, c := range b.Calls[p.calls.lo:p.calls.hi] {
			fn(c.Recv, c.Name, c.Sig, c.IsField, c.IsVar)
		}
		for _, c := range b.Routes[p.routes.lo:p.routes.hi] {
			fn(c.Recv, c.Name, c.Sig, false, c.IsVar)
		}
		for _, c := range b.Checks[p.checks.lo:p.checks.hi] {
			fn(c.Recv, c.Name, c.Sig, false, c.IsVar)
		}
		for _, c := range b.Wrappers[p.wrappers.lo:p.wrappers.hi] {
			fn(c.Recv, c.Name, c.Sig, false, c.IsVar)
		}
	}
	return out
}

// Known asks [Default].
func Known(path string) bool { return Default().Known(path) }
