package engine

import (
	"strings"

	"github.com/probelint/probelint/internal/lint"
)

// fingerprint fills Fingerprint: SHA-256 over the rule, the identity, and the ordinal among equals. No line and no word of
// the message is part of it, so a moved file or a reformatted manifest stays known (STYLE.md 5.10).
func fingerprint(fs []lint.Finding) {
	seen := map[string]int{}
	for _, silent := range []bool{false, true} { // what is silenced renames nothing
		for i := range fs {
			f := &fs[i]
			if (f.Suppressed != nil) != silent {
				continue
			}
			key := f.Rule + "\x00" + strings.Join(f.Identity, "\x00")
			n := seen[key]
			seen[key]++
			f.Fingerprint = lint.Fingerprint(f.Rule, f.Identity, n)
		}
	}
}
