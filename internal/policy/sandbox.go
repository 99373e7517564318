package policy

import (
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// A policy is a function of its input and its data: the same document gives the same findings on every machine and every
// day. So what reaches the network, the clock, chance or the environment is not there, and neither is what takes long or
// much memory for a small argument and has no use for a policy about probes.
var refused = []struct{ prefix, why string }{
	{"http.", "the network is out of reach"},
	{"net.lookup_ip_addr", "the network is out of reach"},
	{"json.match_schema", "a schema can name an address in the network"},
	{"json.verify_schema", "a schema can name an address in the network"},
	{"time.now_ns", "there is no clock"},
	{"rand.", "there is no chance"},
	{"uuid.rfc4122", "there is no chance"},
	{"opa.runtime", "the environment is out of reach"},
	{"io.jwt.", "tokens are verified against a clock"},
	{"providers.", "nothing is signed"},
	{"crypto.x509.", "certificates are verified against a clock"},
	{"crypto.parse_private_keys", "no keys are read"},
	{"graphql.", "its time grows faster than its argument"},
	{"regex.globs_match", "its time grows faster than its argument"},
	{"rego.parse_module", "a policy reads no policy"},
	{"strings.render_template", "a template has loops of its own; use sprintf"},
}

// forbidden says why a builtin is not there, "" for one that is.
func forbidden(name string) string {
	for _, r := range refused {
		if name == r.prefix || strings.HasSuffix(r.prefix, ".") && strings.HasPrefix(name, r.prefix) {
			return r.why
		}
	}
	return ""
}

type capabilitySet struct{ capabilities, capabilitiesV0 *ast.Capabilities }

// sandbox is what a policy can call.
var sandbox = sync.OnceValue(func() capabilitySet {
	return capabilitySet{
		allowed(ast.CapabilitiesForThisVersion()),
		allowed(ast.CapabilitiesForThisVersion(ast.CapabilitiesRegoVersion(ast.RegoV0))),
	}
})

func allowed(c *ast.Capabilities) *ast.Capabilities {
	c.Builtins = slices.DeleteFunc(c.Builtins, func(b *ast.Builtin) bool { return forbidden(b.Name) != "" })
	c.AllowNet = []string{} // schemas of annotations load nothing either
	return c
}
