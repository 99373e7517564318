package policy

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/probelint/probelint/policies"
)

// Schema is the JSON schema of a policy's input.
func Schema() []byte { return policies.Schema }

// WriteInput writes documents as indented JSON: one as an object, several as a list.
func WriteInput(w io.Writer, docs []*Input) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if len(docs) == 1 {
		return e.Encode(docs[0])
	}
	return e.Encode(docs)
}

// Eject are the files that plain opa needs besides the policies, by path: the library and the fixtures below data, the schema
// apart from them.
func (s *Set) Eject() (map[string]string, error) {
	fixtures := s.loaded.o.Fixtures
	if fixtures == nil {
		fixtures = map[string]any{}
	}
	data, err := json.MarshalIndent(map[string]any{"fixtures": fixtures}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the fixtures: %w", err)
	}
	return map[string]string{
		"data/lib.rego":        policies.Library,
		"data/data.json":       string(data) + "\n",
		"schema/input.v1.json": string(policies.Schema),
	}, nil
}
