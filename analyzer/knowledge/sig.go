package knowledge

import "go/types"

// NameOf gives the key of a function or method in the tables: import path, receiver type without "*" ("" for a function) and
// name. ok is false for functions without a package and for methods of unnamed types.
func NameOf(fn *types.Func) (path, recv, name string, ok bool) {
	if fn == nil || fn.Pkg() == nil {
		return "", "", "", false
	}
	if r := fn.Signature().Recv(); r != nil {
		named := namedOf(r.Type())
		if named == nil {
			return "", "", "", false
		}
		recv = named.Obj().Name()
	}
	return fn.Pkg().Path(), recv, fn.Name(), true
}

// SigOf gives the shape of a function or method for [Base.LookupCall].
func SigOf(fn *types.Func) Sig {
	var s Sig
	sig := fn.Signature()
	if p := sig.Params(); p.Len() > 0 {
		s.Ctx0 = qualifiedName(p.At(0).Type()) == "context.Context"
		last := p.At(p.Len() - 1).Type()
		if slice, ok := last.(*types.Slice); ok && sig.Variadic() {
			last = slice.Elem()
		}
		s.Last = qualifiedName(last)
	}
	if r := sig.Results(); r.Len() > 0 && types.Identical(r.At(r.Len()-1).Type(), types.Universe.Lookup("error").Type()) {
		s.HasErr, s.Err = true, r.Len()-1
	}
	if pkg := fn.Pkg(); pkg != nil {
		s.Imports = func(path string) bool {
			for _, i := range pkg.Imports() {
				if i.Path() == path {
					return true
				}
			}
			return false
		}
	}
	return s
}

// CallOf finds what is known of a function or method of a client.
func (b *Base) CallOf(fn *types.Func) (Call, bool) {
	path, recv, name, ok := NameOf(fn)
	if !ok {
		return Call{}, false
	}
	return b.LookupCall(path, recv, name, SigOf(fn))
}

// qualifiedName is "path.Name" of a named type or of a pointer to one, "" otherwise.
func qualifiedName(t types.Type) string {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}
