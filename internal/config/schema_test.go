package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	schemacheck "github.com/santhosh-tekuri/jsonschema/v6"
	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/rules"
)

var update = flag.Bool("update", false, "write schema.json")

// generate makes the schema from the document that decode fills.
func generate(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		ExpandedStruct: true, DoNotReference: true, RequiredFromJSONSchemaTags: true,
		Mapper: func(typ reflect.Type) *jsonschema.Schema {
			switch typ {
			case reflect.TypeFor[version]():
				return &jsonschema.Schema{Type: "integer", Enum: []any{Version}}
			case reflect.TypeFor[profile]():
				return &jsonschema.Schema{Type: "string", Enum: []any{"default", "strict"}}
			case reflect.TypeFor[level]():
				return &jsonschema.Schema{Type: "string", Enum: []any{"off", "info", "warning", "error"}}
			case reflect.TypeFor[map[string]level]():
				s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties()}
				for _, rule := range rules.All() {
					s.Properties.Set(rule.Name, &jsonschema.Schema{Type: "string", Enum: []any{"off", "info", "warning", "error"}, Description: rule.Summary()})
				}
				s.AdditionalProperties = &jsonschema.Schema{Type: "string", Enum: []any{"off", "info", "warning", "error"}, Description: "A rule of a team policy."}
				return s
			case reflect.TypeFor[duration]():
				return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`}
			case reflect.TypeFor[number]():
				return &jsonschema.Schema{Type: "number", ExclusiveMinimum: "0"}
			case reflect.TypeFor[glob](), reflect.TypeFor[workload](), reflect.TypeFor[text](), reflect.TypeFor[file]():
				one := uint64(1)
				return &jsonschema.Schema{Type: "string", MinLength: &one}
			}
			return nil
		},
	}
	s := r.Reflect(&document{})
	s.ID = SchemaURL
	s.Title = "Configuration of probelint"
	s.Description = "The form of .probelint.yaml, version 1."
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func TestSchemaIsFresh(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), want) {
		t.Error("schema.json is stale; run go test ./internal/config -update")
	}
}

// What the decoder takes the schema takes, and what it refuses the schema refuses; names of rules and files aside.
func TestSchemaAgrees(t *testing.T) {
	if *update {
		t.Skip("the schema is being written")
	}
	doc, err := schemacheck.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := schemacheck.NewCompiler()
	if err := c.AddResource(SchemaURL, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range samples {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			continue // no YAML at all
		}
		_, decoded := Parse("/x/.probelint.yaml", FileName, []byte(text))
		checked := schema.Validate(v)
		if strings.HasPrefix(name, "schema: ") {
			if decoded != nil || checked == nil {
				t.Errorf("%s: decoder says %v, schema says %v", name, decoded, checked)
			}
			continue
		}
		only := strings.HasPrefix(name, "decoder: ")
		if (decoded == nil) != (checked == nil) && !only {
			t.Errorf("%s: decoder says %v, schema says %v", name, decoded, checked)
		}
		if only && (decoded == nil || checked != nil) {
			t.Errorf("%s: decoder says %v, schema says %v", name, decoded, checked)
		}
	}
}
