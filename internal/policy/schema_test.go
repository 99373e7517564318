package policy

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/probelint/probelint/policies"
)

var update = flag.Bool("update", false, "rewrite the schema and the goldens")

const schemaFile = "policies/schema/input.v1.json"

// generated is the schema of a policy's input, made of the types that are marshalled and of their comments.
func generated(t *testing.T) []byte {
	t.Helper()
	t.Chdir("../..")
	r := &jsonschema.Reflector{ExpandedStruct: true}
	for _, dir := range []string{"internal/model", "internal/policy"} {
		if err := r.AddGoComments("github.com/probelint/probelint", dir); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(&Input{})
	s.Version = "http://json-schema.org/draft-07/schema#"
	s.ID = "https://github.com/probelint/probelint/blob/main/policies/schema/input.v1.json"
	s.Title = "probelint policy input, version 1"
	// A timing that could not be read is absent, whatever the tag says (model.Probe.MarshalJSON).
	probe := s.Definitions["Probe"]
	probe.Required = slices.DeleteFunc(probe.Required, func(f string) bool { return strings.HasSuffix(f, "Seconds") || strings.HasSuffix(f, "Threshold") })
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

func TestSchemaIsFresh(t *testing.T) {
	got := generated(t)
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, policies.Schema) {
		t.Errorf("%s is stale: go test ./internal/policy -run Schema -update", schemaFile)
	}
}
