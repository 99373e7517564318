package summary

import "go/types"

// modelEmbed reads files that were compiled in: one of a constant name is there or is not for the life of the binary
// (https://pkg.go.dev/embed#FS), so its error is no state of the process.
func (it *Interp) modelEmbed(s *site) (Value, bool) {
	tup, ok := s.result.(*types.Tuple)
	if !ok || tup.Len() != 2 {
		return Value{}, false
	}
	switch s.name {
	case "ReadFile", "Open", "ReadDir":
	default:
		return Value{}, false
	}
	if _, known := s.arg(0).str(); !known {
		return Value{}, false
	}
	v := unknown(tup.At(0).Type(), nil)
	v.Nil = mayNonNil
	return Value{Tuple: []Value{v, nilValue(tup.At(1).Type())}}, true
}
