// Package execbinarymissing is the rule exec-binary-missing.
package execbinarymissing

import (
	_ "embed"
	"path"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-binary-missing.
var Rule = &lint.Rule{
	Name:  "exec-binary-missing",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
	Silences: []string{
		"exec-hides-status", "exec-outlives-timeout", "exec-probe-cost", "exec-process-only", "exec-could-be-httpget",
	},
}

func check(p *lint.Pass) {
	c := p.Container
	if c.Contents == nil || c.Contents.Kind == model.ImageUnknown || slices.Contains(c.Contents.Programs, "*") {
		return
	}
	for _, pr := range c.Probes {
		if pr.Rejected() || pr.Kind != model.Exec || pr.Command == nil || pr.Command.NotShell != nil {
			continue
		}
		e, direct := missing(c.Contents, pr.Command)
		if e == nil {
			continue
		}
		q := words.With(p, pr)
		f := report(c.Contents, words.Subject(q), e)
		f.Primary = words.Argument(pr, e.Argument, label(e))
		f.Notes = []string{failed(pr.Role, e)}
		if direct {
			f.Notes = []string{"the runtime cannot start it, " + discarded(pr.Role)}
		}
		f.Help = "an httpGet, grpc or tcpSocket probe needs nothing in the image; a subcommand of the program itself does as well"
		f.Probes = []lint.ProbeRef{q.Ref()}
		p.Report(f)
	}
	hook(p)
}

// hook judges the preStop hook.
func hook(p *lint.Pass) {
	c := p.Container
	if c.PreStop == nil || c.PreStop.Does == nil || c.PreStop.Does.NotShell != nil {
		return
	}
	e, _ := missing(c.Contents, c.PreStop.Does)
	if e == nil {
		return
	}
	f := report(c.Contents, "preStop hook of "+words.Container(p.Workload, c), e)
	f.Primary = lint.Label{Span: c.PreStop.Span, Text: label(e)}
	f.Notes = []string{"the hook fails at once and leaves a FailedPreStopHook event: SIGTERM comes without the wait, while traffic still arrives"}
	f.Help = "`sleep: {seconds: …}` as the hook needs nothing in the image (Kubernetes 1.30 and later)"
	p.Report(f)
}

func report(im *model.Image, who string, e *model.ExecProgram) lint.Finding {
	f := lint.Finding{
		Level: lint.Lowered(lint.Error, im.Certainty), Certainty: im.Certainty,
		Title: lint.Title("%s runs %s, which its image does not have", who, lint.Quote(e.Path)),
	}
	what := "no shell and no tools in this image"
	if im.Kind != model.ImageBare {
		what = lint.Text("comes without %s", lint.Quote(e.Name))
	} else if im.Dockerfile != "" {
		what = "the image starts from this: no shell and no tools"
	}
	f.Labels = []lint.Label{{Span: im.Span, Text: what}}
	return f
}

func label(e *model.ExecProgram) string {
	return lint.Text("%s is not in the image", lint.Quote(e.Path))
}

// missing is the first program that the image lacks; direct: the runtime starts it itself.
func missing(im *model.Image, c *model.ExecCommand) (e *model.ExecProgram, direct bool) {
	for i := range c.Programs {
		p := &c.Programs[i]
		if p.Builtin && c.Shell != "" || !lacks(im, p) {
			continue
		}
		return p, i == 0
	}
	return nil, false
}

// lacks reports whether a program is one of those that every shell user takes for granted, asked for where such programs
// lie, and not in the image.
func lacks(im *model.Image, p *model.ExecProgram) bool {
	name := path.Base(p.Path)
	if dir := path.Dir(p.Path); dir != "." && !folders[dir] || slices.Contains(im.Programs, name) {
		return false
	}
	switch im.Kind {
	case model.ImageBare:
		return usual[name]
	case model.ImageAlpine:
		return name == "curl" || name == "bash"
	case model.ImageDebian:
		return name == "curl" || name == "wget" || name == "pgrep" || name == "ps"
	}
	return false
}

// folders are those of the default PATH; another folder may be a volume.
var folders = map[string]bool{
	"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true,
}

var usual = map[string]bool{
	"sh": true, "bash": true, "ash": true, "dash": true, "ksh": true, "zsh": true, "busybox": true,
	"curl": true, "wget": true, "nc": true, "ncat": true, "netcat": true, "telnet": true, "ping": true, "dig": true, "nslookup": true,
	"sleep": true, "cat": true, "ls": true, "stat": true, "test": true, "[": true, "find": true, "grep": true, "egrep": true,
	"pgrep": true, "pkill": true, "ps": true, "pidof": true, "kill": true, "killall": true, "true": true, "false": true, "echo": true,
	"env": true, "timeout": true, "touch": true, "rm": true, "date": true, "hostname": true, "head": true, "tail": true, "wc": true,
	"awk": true, "sed": true, "cut": true, "tr": true, "tee": true, "xargs": true, "expr": true, "jq": true, "nginx": true,
	"pg_isready": true, "psql": true, "redis-cli": true, "mysqladmin": true, "mysql": true, "mongo": true, "mongosh": true,
	"python": true, "python3": true, "perl": true, "kubectl": true, "supervisorctl": true,
}

// discarded is what becomes of a probe whose command cannot be started: the attempt is an error, not a failure.
func discarded(r model.Role) string {
	switch r {
	case model.Readiness:
		return "which is an error and is discarded: the container never becomes ready"
	case model.Startup:
		return "which is an error and is discarded: the container never counts as started and is never restarted"
	}
	return "which is an error and is discarded: the liveness probe never restarts anything"
}

// failed is what becomes of a probe whose shell does not find a program: exit 127.
func failed(r model.Role, e *model.ExecProgram) string {
	s := "the shell exits 127 where " + lint.Quote(e.Name) + " decides: "
	switch r {
	case model.Readiness:
		return s + "the container never becomes ready"
	case model.Startup:
		return s + "the container is killed at each start"
	}
	return s + "the container is restarted again and again"
}
