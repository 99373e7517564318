package engine

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// markCritical marks the dependencies that the configuration calls critical, and says which of its entries mark none: one that is
// mistyped, or whose call is gone, leaves a finding that nobody expects.
func (in *input) markCritical(o *Options) {
	if len(o.Critical) == 0 {
		return
	}
	used := make([]bool, len(o.Critical))
	var calls []string
	endpoints := in.endpoints()
	for _, e := range endpoints {
		for _, d := range e.Dependencies {
			calls = append(calls, d.Call, lint.ShortCall(d.Call))
			for i, c := range o.Critical {
				if c.Call != d.Call && c.Call != lint.ShortCall(d.Call) || c.In != nil && !c.In(absolute(o.Root, filepath.FromSlash(d.File))) {
					continue
				}
				used[i] = true
				if d.Critical == nil {
					d.Critical = &model.Critical{Reason: c.Reason, Span: c.Span}
				}
			}
		}
	}
	for i, c := range o.Critical {
		if used[i] || len(endpoints) == 0 || !in.covers(o, c.Span.File) {
			continue
		}
		l := model.Limit{What: "`critical` entry " + lint.Quote(c.Call) + fmt.Sprintf(" of %s:%d marks nothing", c.Span.File, c.Span.Line), Because: "no endpoint that was followed makes this call"}
		switch near := lint.Nearest(c.Call, calls); {
		case slices.Contains(calls, c.Call):
			l.Because = "no endpoint that was followed makes this call in the files that its `in` names"
		case near != "":
			l.Because += "; " + lint.Quote(near) + " is made"
		}
		in.result.Limits = append(in.result.Limits, l)
	}
}

// covers reports whether the run is about all that a configuration file is about: a part of it says nothing of an entry.
func (in *input) covers(o *Options, config string) bool {
	dir := absolute(o.Root, filepath.FromSlash(path.Dir(config)))
	return config != "" && slices.ContainsFunc(in.abs, func(p string) bool { return p != "-" && within(p, dir) })
}
