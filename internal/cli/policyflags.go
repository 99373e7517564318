package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/policy"
)

// policyFlags say which team policies a run has.
type policyFlags struct{ policies, data, namespaces []string }

func (p *policyFlags) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&p.policies, "policies", nil, "also judge by the team rules in Rego at or below `DIR`; repeatable")
	p.addShared(fs)
}

// addShared adds the flags that the commands about policies have too.
func (p *policyFlags) addShared(fs *pflag.FlagSet) {
	fs.StringArrayVar(&p.data, "data", nil, "give the policies the YAML and JSON at or below `DIR` as data; repeatable")
	fs.StringArrayVar(&p.namespaces, "namespace", nil, "`PACKAGE` whose deny, warn and violation judge raw manifests, as conftest has it (default main); repeatable")
}

func (p *policyFlags) apply(o *engine.Options) {
	o.Policies = append(o.Policies, p.policies...)
	o.PolicyData = append(o.PolicyData, p.data...)
	o.PolicyNamespaces = append(o.PolicyNamespaces, p.namespaces...)
	o.LoadPolicies = loadPolicies
}

// loadPolicies gives the engine package policy, which links OPA.
func loadPolicies(ctx context.Context, from engine.PolicySource) (engine.Policies, error) {
	return policy.Load(ctx, policy.Options{
		Files: from.Set, Dirs: from.Dirs, Data: from.Data, Namespaces: from.Namespaces, Taken: from.Taken, Kinds: from.Kinds,
	})
}
