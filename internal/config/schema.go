package config

import (
	_ "embed"
	"slices"
)

// SchemaURL is where editors find the schema; the first line of a file that init writes names it.
const SchemaURL = "https://raw.githubusercontent.com/probelint/probelint/main/internal/config/schema.json"

// Modeline is the first line of a file for editors with the YAML language server.
const Modeline = "# yaml-language-server: $schema=" + SchemaURL

//go:generate go test . -run TestSchemaIsFresh -update
//go:embed schema.json
var schema []byte

// Schema is the JSON schema of the file.
func Schema() []byte { return slices.Clone(schema) }
