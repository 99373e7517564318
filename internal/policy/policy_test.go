package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/policies"
)

// filled is a value whose every field is set, down to the leaves.
func filled(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Pointer:
		p := reflect.New(t.Elem())
		p.Elem().Set(filled(t.Elem(), depth))
		return p
	case reflect.Struct:
		for i := range t.NumField() {
			if tag := t.Field(i).Tag.Get("json"); t.Field(i).IsExported() && tag != "" && tag != "-" && depth < 12 {
				v.Field(i).Set(filled(t.Field(i).Type, depth+1))
			}
		}
	case reflect.Slice:
		v = reflect.Append(v, filled(t.Elem(), depth+1))
	case reflect.Map:
		v = reflect.MakeMap(t)
		v.SetMapIndex(reflect.ValueOf("a.b/c"), filled(t.Elem(), depth+1))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
	return v
}

// What a policy sees is what `inspect -f json` writes, field by field.
func TestInputIsTheMarshalledModel(t *testing.T) {
	full := filled(reflect.TypeFor[Input](), 0).Addr().Interface().(*Input)
	odd := &Input{
		Version: 1, Programs: []*model.Program{}, Endpoints: []*model.Endpoint{},
		Workload: &model.Workload{ID: "x", Containers: []*model.Container{{Probes: []*model.Probe{
			{Role: model.Liveness, Declared: []string{}, Unknown: []string{"periodSeconds", "timeoutSeconds"}, FailureThreshold: 3},
			{Role: model.Readiness, Declared: []string{}, Unknown: []string{"readinessProbe"}},
		}}}},
	}
	for name, in := range map[string]*Input{"full": full, "unknown": odd, "empty": newInput(&lint.Unit{})} {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ast.ValueFromReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got := (&converter{}).document(in)
		if got.Value.Compare(want) != 0 {
			t.Errorf("%s: %s", name, cmp.Diff(want.String(), got.String()))
		}
	}
}

// A field that is added to the model and cannot be converted would be null for policies.
func TestSchemaHoldsTheInput(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(policies.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("input.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("input.json")
	if err != nil {
		t.Fatal(err)
	}
	in := filled(reflect.TypeFor[Input](), 0).Addr().Interface().(*Input)
	in.Workload.Containers[0].Kind, in.Workload.Containers[0].PreStop.Kind = model.Main, "exec"
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Validate(v)
	if err == nil || strings.Contains(err.Error(), "additional") || strings.Contains(err.Error(), "missing") || strings.Contains(err.Error(), "want") {
		t.Errorf("every field is known, and `text` is no word of an enum: %v", err)
	}
}

// load writes files and loads them as policies.
func load(t testing.TB, files map[string]string) *Set {
	t.Helper()
	dir := t.TempDir()
	writeFiles(t, dir, files)
	s, err := Load(context.Background(), Options{Files: source.NewSet(dir), Dirs: []string{dir}, Tests: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// lines are the faults of loading, a line each.
func lines(s *Set) []string {
	var out []string
	for _, f := range s.Broken() {
		out = append(out, s.Where(f))
	}
	return out
}
