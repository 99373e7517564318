package execprobe_test

import (
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/execprobe"
	"github.com/probelint/probelint/internal/model"
)

// Any script and any words are described without a panic or an endless loop, and every place that is named lies in them.
func FuzzDescribe(f *testing.F) {
	for _, s := range []string{
		"curl -sf http://localhost:8080/ || exit 1", "ps aux | grep x | grep -v grep", "set -euo pipefail\na | b", "if a; then b; elif c; then d; fi",
		"for i in 1 2; do a && break; done", "case $x in a) b;; esac", "f() { f; }; f", "a <<EOF\nb\nEOF", "timeout -k 1 5 redis-cli -h $(HOST) ping", "[ \"$(pgrep -c x)\" -gt 0 ]",
		"sh -c 'sh -c \"sh -c true\"'", "! ! a", "((x++))", "exec 3<>/dev/tcp/a/80", "a\x00b",
	} {
		f.Add(s, "sh\n-c")
	}
	f.Fuzz(func(t *testing.T, script, before string) {
		words := append(strings.Split(before, "\n"), script)
		p := &model.Probe{Kind: model.Exec, TimeoutSeconds: 1, Target: model.Target{Command: words}}
		execprobe.Describe(p, nil)
		if p.Command == nil {
			return
		}
		faults := append([]model.ExecFault(nil), p.Command.Lies...)
		for _, x := range []*model.ExecFault{p.Command.Always, p.Command.NotShell} {
			if x != nil {
				faults = append(faults, *x)
			}
		}
		for _, x := range faults {
			if x.Argument < 0 || x.Argument >= len(words) || x.Add && x.End > len(words[x.Argument]) {
				t.Fatalf("%+v of %q", x, words)
			}
		}
		for _, x := range p.Command.Programs {
			if x.Argument < 0 || x.Argument >= len(words) || x.End > len(words[x.Argument]) {
				t.Fatalf("%+v of %q", x, words)
			}
		}
	})
}
