package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// viperState are the settings of viper that decide what a key comes to.
type viperState struct {
	defaults map[string]Scalar
	flags    map[string]string
	binds    map[string][]string
	prefix   string
	auto     bool
	allFlags bool // every flag is bound under its own name
	file     bool // a configuration file is read, which may set every key
}

// configStyle is how a library names what fills a field.
type configStyle uint8

const (
	styleTags  configStyle = iota // the tags name the variable
	stylePath                     // PREFIX_NESTED_FIELD unless a tag names it (kelseyhightower/envconfig)
	styleViper                    // the key path of viper
	styleKong                     // flags by field name
)

// configLibs fill a struct that they are given a pointer to.
var configLibs = []struct {
	prefix string
	style  configStyle
}{
	{"github.com/caarlos0/env", styleTags},
	{"github.com/sethvargo/go-envconfig", styleTags},
	{"github.com/ilyakaznacheev/cleanenv", styleTags},
	{"github.com/joeshaw/envdecode", styleTags},
	{"github.com/Netflix/go-env", styleTags},
	{"github.com/codingconcepts/env", styleTags},
	{"github.com/creasty/defaults", styleTags},
	{"github.com/mcuadros/go-defaults", styleTags},
	{"github.com/jessevdk/go-flags", styleKong},
	{"github.com/alecthomas/kong", styleKong},
	{"github.com/kelseyhightower/envconfig", stylePath},
	{"github.com/vrischmann/envconfig", stylePath},
	{"github.com/ardanlabs/conf", stylePath},
	{"github.com/spf13/viper", styleViper},
}

// modelConfig knows the libraries that fill a configuration from the environment, flags and defaults.
func (it *Interp) modelConfig(s *site) (Value, bool) {
	if it.request {
		return Value{}, false
	}
	it.filled(s)
	if s.path == "github.com/spf13/viper" {
		if v, ok := it.modelViper(s); ok {
			return v, true
		}
	}
	for _, l := range configLibs {
		if !strings.HasPrefix(s.path, l.prefix) {
			continue
		}
		switch {
		case strings.HasPrefix(s.name, "Process"), strings.HasPrefix(s.name, "MustProcess"), strings.HasPrefix(s.name, "Parse"), strings.HasPrefix(s.name, "MustParse"),
			strings.HasPrefix(s.name, "Read"), strings.HasPrefix(s.name, "Unmarshal"), s.name == "Set", s.name == "SetDefaults", s.name == "Decode", s.name == "StrictDecode",
			s.name == "NewParser", s.name == "Init", s.name == "New", s.name == "MustSet":
		default:
			return Value{}, false
		}
		prefix := ""
		for _, a := range s.args {
			if p, ok := a.str(); ok && l.style == stylePath {
				prefix = p
			}
			for _, t := range a.Terms {
				if o, ok := t.(*Object); ok && structOf(o.Type) != nil && o.Kind == Plain {
					it.fillStruct(o, structOf(o.Type), l.style, prefix, nil, 0)
				}
			}
		}
		if v, ok := it.parsedAs(s, l.style); ok {
			return v, true
		}
		return it.shaped(s.result, nil, nil), true
	}
	return Value{}, false
}

// filled opens what a call fills from a file or a message.
func (it *Interp) filled(s *site) {
	if it.request || !decodes(s) {
		return
	}
	for _, a := range s.args {
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o.Kind == Plain {
				it.openStruct(o, structOf(o.Type), 0)
			}
		}
	}
}

// decodes reports a call that fills a struct from a file or a message.
func decodes(s *site) bool {
	if !strings.HasPrefix(s.name, "Unmarshal") && !strings.HasPrefix(s.name, "Decode") && s.name != "ReadConfig" && s.name != "Load" && s.name != "MustLoad" {
		return false
	}
	for _, p := range []string{
		"encoding/", "gopkg.in/yaml", "go.yaml.in/yaml", "sigs.k8s.io/yaml", "github.com/goccy/go-yaml", "github.com/ghodss/yaml", "github.com/BurntSushi/toml",
		"github.com/pelletier/go-toml", "github.com/knadh/koanf", "github.com/spf13/viper", "github.com/mitchellh/mapstructure", "github.com/go-viper/mapstructure",
		"github.com/ilyakaznacheev/cleanenv", "github.com/zeromicro/go-zero/core/conf", "github.com/jinzhu/configor", "github.com/json-iterator/go", "github.com/goccy/go-json",
	} {
		if strings.HasPrefix(s.path, p) {
			return true
		}
	}
	return false
}

// openStruct lets the fields that hold nothing yet hold anything: a file fills them. Defaults that were set before stay.
func (it *Interp) openStruct(o *Object, st *types.Struct, depth int) {
	if st == nil || depth > 5 {
		return
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		c := it.field(o, f.Name(), f, f.Type())
		v := it.get(c)
		inner := structOf(f.Type())
		switch {
		case inner != nil && !isPointerLike(f.Type()) && !isOpaqueStruct(f.Type()):
			if len(v.Terms) == 0 {
				v = it.embedded(c, f.Type())
			}
			for _, t := range v.Terms {
				if x, ok := t.(*Object); ok {
					it.openStruct(x, inner, depth+1)
				}
			}
		case len(v.Terms) == 0 && (len(v.Scalars) == 0 || onlyZero(v) || isEmptyText(v) || isBool(v)):
			it.set(c, unknown(f.Type(), nil))
		}
	}
}

// parsedAs is env.ParseAs[T](): the struct is the result.
func (it *Interp) parsedAs(s *site, style configStyle) (Value, bool) {
	t := s.result
	tup, isTuple := t.(*types.Tuple)
	if isTuple && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	n := namedOf(t)
	if n == nil || structOf(t) == nil || n.Obj().Pkg() == nil || !it.eng.firstParty(n.Obj().Pkg().Path()) {
		return Value{}, false
	}
	v := it.zeroOf(t, s.e.Pos())
	for _, x := range v.Terms {
		if o, ok := x.(*Object); ok {
			it.fillStruct(o, structOf(o.Type), style, "", nil, 0)
		}
	}
	if isTuple {
		return Value{Tuple: []Value{v, {Open: true, Nil: mayNil | mayNonNil}}}, true
	}
	return v, true
}

// fillStruct sets the fields of a configuration.
func (it *Interp) fillStruct(o *Object, st *types.Struct, style configStyle, prefix string, path []string, depth int) {
	if st == nil || depth > 5 {
		return
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		tag := reflect.StructTag(st.Tag(i))
		c := it.field(o, f.Name(), f, f.Type())
		if inner := structOf(f.Type()); inner != nil && !isPointerLike(f.Type()) && !isOpaqueStruct(f.Type()) {
			v := it.get(c)
			if len(v.Terms) == 0 {
				v = it.embedded(c, f.Type())
			}
			sub := append(path[:len(path):len(path)], f.Name())
			if f.Embedded() && tag.Get("mapstructure") == "" || tag.Get("mapstructure") == ",squash" {
				sub = path
			}
			if k, _, _ := strings.Cut(tag.Get("mapstructure"), ","); k != "" && style == styleViper {
				sub[len(sub)-1] = k
			}
			p := prefix + tag.Get("envPrefix") + tag.Get("env-prefix")
			if _, opt, ok := strings.Cut(tag.Get("env"), "prefix="); ok {
				p = prefix + opt
			}
			for _, t := range v.Terms {
				if x, ok := t.(*Object); ok {
					it.fillStruct(x, inner, style, p, sub, depth+1)
				}
			}
			continue
		}
		if sc, ok := it.configured(c, f, tag, style, prefix, path); ok {
			it.set(c, Value{Scalars: []Scalar{typedScalar(sc, kindOfType(f.Type()))}, Type: f.Type()})
		}
	}
}

func isOpaqueStruct(t types.Type) bool {
	p, n := typeName(t)
	return p == "time" || p == "net/url" || n == "Secret"
}

func kindOfType(t types.Type) string {
	if p, n := typeName(t); p == "time" && n == "Duration" {
		return "Duration"
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch {
		case b.Info()&types.IsString != 0:
			return "String"
		case b.Info()&types.IsBoolean != 0:
			return "Bool"
		case b.Info()&types.IsNumeric != 0:
			return "Int"
		}
	}
	return ""
}

// configured is what a field comes to: the variable or flag that its tags name, its default, else what it held before.
func (it *Interp) configured(c *Cell, f *types.Var, tag reflect.StructTag, style configStyle, prefix string, path []string) (Scalar, bool) {
	if kindOfType(f.Type()) == "" {
		return Scalar{}, false
	}
	var def *Scalar
	if old := it.get(c); len(old.Scalars) == 1 && !old.Open && !onlyZero(old) && !isEmptyText(old) {
		def = &old.Scalars[0]
	}
	text := func(t string) {
		if t != "" {
			def = &Scalar{C: constant.MakeString(t), Pos: f.Pos()}
		}
	}
	for _, k := range []string{"default", "envDefault", "env-default"} {
		text(tag.Get(k))
	}
	env := firstWord(tag.Get("env"))
	flagName := ""
	for _, k := range []string{"env", "conf"} {
		for _, part := range strings.Split(tag.Get(k), ",") {
			part = strings.TrimSpace(part)
			if d, ok := strings.CutPrefix(part, "default="); ok {
				text(d)
			}
			if d, ok := strings.CutPrefix(part, "default:"); ok {
				text(d)
			}
		}
	}
	if env != "" {
		env = prefix + env
	}
	switch style {
	case stylePath:
		name := strings.Join(append(path[:len(path):len(path)], f.Name()), "_")
		if t := firstWord(tag.Get("envconfig")); t != "" && t != "-" {
			name = t
		} else if tag.Get("split_words") == "true" {
			name = snake(name)
		}
		env = strings.ToUpper(name)
		if prefix != "" {
			env = strings.ToUpper(prefix + "_" + name)
		}
		if tag.Get("conf") != "" {
			env = strings.ToUpper(snake(strings.TrimPrefix(prefix+"_"+name, "_")))
			flagName = strings.ToLower(strings.ReplaceAll(snake(name), "_", "-"))
		}
	case styleViper:
		key := firstWord(tag.Get("mapstructure"))
		if key == "" {
			key = f.Name()
		}
		return it.viperKey(strings.ToLower(strings.Join(append(path[:len(path):len(path)], key), ".")), def, f.Pos())
	case styleKong:
		flagName = tag.Get("name") + tag.Get("long")
		if flagName == "" {
			flagName = strings.ReplaceAll(snake(f.Name()), "_", "-")
		}
	}
	if env == "" && flagName == "" && def == nil {
		return Scalar{}, false
	}
	out := def
	if env != "" {
		out = &Scalar{Sym: &Sym{Op: opEnv, Name: env, Def: out, Pos: f.Pos(), Filed: it.get(c).Open}, Pos: f.Pos()}
	}
	if flagName != "" {
		out = &Scalar{Sym: &Sym{Op: opFlag, Name: flagName, Def: out, Pos: f.Pos()}, Pos: f.Pos()}
	}
	return *out, true
}

func isEmptyText(v Value) bool { t, ok := v.str(); return ok && t == "" }

func firstWord(s string) string {
	s, _, _ = strings.Cut(s, ",")
	return strings.TrimSpace(s)
}

// snake is field_name for FieldName; HTTPPort is http_port.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		up := r >= 'A' && r <= 'Z'
		if up && i > 0 && s[i-1] != '_' {
			prevLow := s[i-1] >= 'a' && s[i-1] <= 'z' || s[i-1] >= '0' && s[i-1] <= '9'
			nextLow := i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
			if prevLow || nextLow {
				b.WriteByte('_')
			}
		}
		if up {
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// modelViper keeps defaults and bindings by key. Instances are not told apart.
func (it *Interp) modelViper(s *site) (Value, bool) {
	v := it.eng.viper
	if v == nil {
		v = &viperState{defaults: map[string]Scalar{}, flags: map[string]string{}, binds: map[string][]string{}}
		it.eng.viper = v
	}
	key, known := s.arg(0).str()
	key = strings.ToLower(key)
	switch s.name {
	case "SetDefault", "Set":
		if d := s.arg(1); known && len(d.Scalars) == 1 && !d.Open {
			v.defaults[key] = d.Scalars[0]
		}
		return Value{}, true
	case "SetEnvPrefix":
		v.prefix, _ = s.arg(0).str()
		return Value{}, true
	case "AutomaticEnv":
		v.auto = true
		return Value{}, true
	case "BindEnv", "MustBindEnv":
		for _, a := range it.spreadArgs(s, 1) {
			if n, ok := a.str(); ok {
				v.binds[key] = append(v.binds[key], n)
			}
		}
		if len(s.args) == 1 {
			v.binds[key] = append(v.binds[key], v.envName(key))
		}
		return Value{Nil: mayNil, Type: s.result}, true
	case "ReadInConfig", "MergeInConfig", "ReadConfig", "MergeConfig", "ReadRemoteConfig", "WatchRemoteConfig":
		v.file = true
		return it.shaped(s.result, nil, nil), true
	case "BindPFlags", "BindFlagValues":
		v.allFlags = true
		return Value{Nil: mayNil, Type: s.result}, true
	case "BindPFlag":
		if lib := libOf(s.arg(1)); lib != nil && len(lib.Args) > 0 {
			if n, ok := lib.Args[len(lib.Args)-1].str(); ok {
				v.flags[key] = n
			}
		}
		return Value{Nil: mayNil, Type: s.result}, true
	}
	if kind := strings.TrimPrefix(s.name, "Get"); known && isScalarKind(kind) {
		sc, ok := it.viperKey(key, nil, s.e.Pos())
		if !ok {
			return unknown(s.result, nil), true
		}
		return it.asKind(sc, kind, s), true
	}
	return Value{}, false
}

func (v *viperState) envName(key string) string {
	n := strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
	if v.prefix != "" {
		n = strings.ToUpper(v.prefix) + "_" + n
	}
	return n
}

// viperKey is what a key comes to: a flag, a variable, its default.
func (it *Interp) viperKey(key string, def *Scalar, pos token.Pos) (Scalar, bool) {
	v := it.eng.viper
	if v == nil {
		return Scalar{}, false
	}
	if d, ok := v.defaults[key]; ok {
		def = &d
	}
	out := def
	if out != nil && v.file {
		out = &Scalar{Sym: &Sym{Op: opFile, Name: key, Def: out, Pos: out.Pos, Filed: true}, Pos: out.Pos}
	}
	names := v.binds[key]
	if v.auto && len(names) == 0 {
		names = []string{v.envName(key)}
	}
	for i := len(names) - 1; i >= 0; i-- {
		out = &Scalar{Sym: &Sym{Op: opEnv, Name: names[i], Def: out, Pos: pos, Filed: v.file}, Pos: pos}
	}
	f, ok := v.flags[key]
	if _, own := it.eng.flags[key]; !ok && v.allFlags && own {
		f, ok = key, true
	}
	if ok {
		if d, ok := it.eng.flags[f]; ok && d.Sym != nil && d.Sym.Def != nil && out == nil {
			out = d.Sym.Def
		}
		out = &Scalar{Sym: &Sym{Op: opFlag, Name: f, Def: out, Pos: pos}, Pos: pos}
	}
	if out == nil {
		return Scalar{}, false
	}
	return *out, true
}
