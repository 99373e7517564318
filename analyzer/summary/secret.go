package summary

import (
	"go/types"
	"reflect"
	"regexp"
)

// secretName is the name of a setting or field whose value is no answer for strangers: credentials, and addresses that
// hold them.
var secretName = regexp.MustCompile(`(?i)(?:^|_|[a-z])(?:dsn|passw(?:or)?d|secret|token|credentials?|api_?key|private_?key|access_?key|conn(?:ection)?_?str(?:ing)?|(?:database|db|redis|amqp|rabbitmq|mongo(?:db)?|postgres|mysql|broker)_?ur[li])$|^(?i:dsn|database_url)$`)

// secretsIn are the secrets among the alternatives of a text: settings by their names.
func (it *Interp) secretsIn(v Value) Label {
	var out Label
	for _, s := range v.Scalars {
		if s.Sym == nil {
			continue
		}
		parts := []Scalar{s}
		if s.Sym.Op == opConcat {
			parts = s.Sym.parts(nil)
		}
		for _, p := range parts {
			if p.Sym != nil && (p.Sym.Op == opEnv || p.Sym.Op == opFlag) && secretName.MatchString(p.Sym.Name) {
				out = out.with(Cause{it.secret(p.Sym.Name), 0})
			}
		}
	}
	return out
}

// secretField is the secret that a field of an encoded structure holds by its name: text that the code does not fix.
func (it *Interp) secretField(o *Object, name string, v Value) Label {
	if !secretName.MatchString(name) || v.Type == nil || len(v.Scalars) > 0 && !v.Open || !isText(v.Type) {
		return nil
	}
	if _, fixed := v.isConst(); fixed || hidden(o.Type, name) {
		return nil
	}
	return Label{{it.secret(name), 0}}
}

// hidden reports a field that encoders leave out.
func hidden(t types.Type, field string) bool {
	if t == nil {
		return false
	}
	st, ok := derefType(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() == field {
			return reflect.StructTag(st.Tag(i)).Get("json") == "-"
		}
	}
	return false
}

func (it *Interp) secret(name string) *Source {
	key := "secret " + name
	src := it.eng.inputs[key]
	if src == nil {
		src = &Source{Kind: Secret, Name: name}
		it.eng.inputs[key] = src
	}
	return src
}
