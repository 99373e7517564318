package summary

import (
	"go/types"
	"strings"
)

// maxFilled bounds how deep a struct is opened that a library fills.
const maxFilled = 4

// fillsArguments reports the name of a function that stores through the pointers that it is given.
func fillsArguments(name string) bool {
	for _, p := range []string{"Decode", "Unmarshal", "Scan", "StructScan", "Bind", "ShouldBind", "Parse", "Read", "Process"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	switch name {
	case "Get", "Select", "First", "Last", "Take", "Find", "FindOne", "All", "One", "Pluck", "Count", "Into", "As", "Load", "GetContext", "SelectContext":
		return true
	}
	return false
}

// filledIn lets what a library was given a pointer to hold anything from here on, decided by what decided the call. At
// start-up what holds a value keeps it: a default that a file may override.
func (it *Interp) filledIn(s *site, out Value) {
	if !fillsArguments(s.name) || it.eng.firstParty(s.path) && s.fn != nil && !isInterfaceMethod(s.fn) {
		return
	}
	l := s.recv.L.union(out.L).blur()
	for _, v := range out.Tuple {
		l = l.union(v.L.blur())
	}
	for _, a := range s.args {
		for _, t := range a.Terms {
			switch t := t.(type) {
			case *Pointer:
				if it.request || it.background {
					it.set(t.Cell, unknown(t.Cell.Type, l))
				}
			case *Object:
				if t.Kind != Plain || t.Lib != nil || !isPointerLike(a.Type) && !types.IsInterface(typeOr(a.Type)) {
					continue
				}
				if it.request || it.background {
					it.refill(t, l, 0)
				} else if decodes(s) || strings.HasPrefix(s.path, "encoding/") {
					it.openStruct(t, structOf(t.Type), 0)
				}
			}
		}
	}
}

func typeOr(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return t
}

// refill forgets the fields of a struct.
func (it *Interp) refill(o *Object, l Label, depth int) {
	st := structOf(o.Type)
	if st == nil || depth > maxFilled {
		return
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		if !f.Exported() && !f.Embedded() {
			continue
		}
		c := it.field(o, f.Name(), f, f.Type())
		if inner := structOf(f.Type()); inner != nil && !isPointerLike(f.Type()) && !isOpaqueStruct(f.Type()) {
			v := it.get(c)
			if len(v.Terms) == 0 {
				v = it.embedded(c, f.Type())
			}
			for _, t := range v.Terms {
				if x, ok := t.(*Object); ok {
					it.refill(x, l, depth+1)
				}
			}
			continue
		}
		it.set(c, unknown(f.Type(), l))
	}
}
