package inspect

import (
	"encoding/json"
	"io"

	"github.com/probelint/probelint/internal/model"
)

// Version is that of the JSON document.
const Version = 1

type document struct {
	Version   int               `json:"version"`
	Workloads []*model.Workload `json:"workloads"`
	Programs  []*model.Program  `json:"programs"`
	Limits    []model.Limit     `json:"limits,omitempty"`
}

// WriteJSON writes the model as one indented document (DESIGN.md, "JSON"). Team policies are given the same.
func WriteJSON(w io.Writer, in *Input) error {
	doc := document{Version: Version, Workloads: notNil(in.Workloads), Programs: notNil(in.Programs), Limits: in.Limits}
	for _, w := range doc.Workloads {
		w.Containers = notNil(w.Containers)
		for _, c := range w.Containers {
			c.Probes = notNil(c.Probes)
			for _, p := range c.Probes {
				p.Declared = notNil(p.Declared)
			}
		}
	}
	for _, p := range doc.Programs {
		p.Servers = notNil(p.Servers)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// notNil keeps an empty list from becoming null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
