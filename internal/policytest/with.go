// Package policytest runs the tests of team policies: the tests written in Rego, and the fixtures that manifests and Go code are
// read from by the real reader, with comments that want findings.
package policytest

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/policy"
)

// With gives a run the policies in folders below its root, those that the run is about alone.
func With(dirs ...string) func(*engine.Options) {
	return func(o *engine.Options) {
		for _, d := range dirs {
			o.Policies = append(o.Policies, filepath.Join(o.Root, d))
		}
		o.Select, o.LoadPolicies = nil, Loader(policy.Options{})
	}
}

// Loader loads policies for the engine. What of is set beyond the folders is kept.
func Loader(of policy.Options) func(context.Context, engine.PolicySource) (engine.Policies, error) {
	return func(ctx context.Context, from engine.PolicySource) (engine.Policies, error) {
		of := of
		of.Files, of.Dirs, of.Data, of.Namespaces, of.Taken = from.Set, from.Dirs, from.Data, from.Namespaces, from.Taken
		of.Kinds = slices.Concat(of.Kinds, from.Kinds)
		return policy.Load(ctx, of)
	}
}
