package config

import (
	"fmt"
	"strings"
)

// Found is what a repository holds, for the file that init writes.
type Found struct {
	// Read says what was read: "4 workloads, 8 probes, 10 Go packages".
	Read string
	// Folders are those that hold workloads, relative to the file.
	Folders []string
	// Unjoined are containers with probes that no program was found for.
	Unjoined []Unjoined
	// Packages are the main packages, as folders relative to the file.
	Packages []string
}

// Unjoined is a container that was not joined with a program.
type Unjoined struct{ Workload, Container, Why string }

// mostListed bounds the lists in the file.
const mostListed = 8

// Template is a file that changes nothing, with what can be changed as comments.
func Template(f Found) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%s", Modeline)
	p("#")
	p("# Configuration of probelint; `probelint config show` prints what is in force.")
	p("# Found here: %s.", f.Read)
	if len(f.Folders) > 0 {
		p("# Workloads are in %s.", listed(f.Folders))
	}
	p("version: %d", Version)
	p("")
	p("# strict fails on warnings too and allows 15 s of readiness exposure.")
	p("profile: default")
	p("")
	p("# Levels: off, info, warning, error. `probelint rules` lists the rules.")
	p("# rules:")
	p("#   no-drain-delay: info")
	p("")
	p("# Thresholds, with their defaults.")
	p("# budgets:")
	p("#   readiness-exposure: 45s")
	p("#   liveness-exposure: 120s")
	p("#   verdict-max-age: 2s")
	p("#   fleet-calls-per-second: 20")
	p("")
	p("# What is not read. Globs are relative to this file, and ** crosses folders.")
	p("# exclude:")
	p("#   - 'test/**'")
	p("")
	p("# Other levels and budgets for some files or workloads; the last one that fits wins.")
	p("# overrides:")
	p("#   - paths: ['test/**']")
	p("#     rules: {readiness-always-ok: off}")
	p("#   - workloads: ['Deployment/batch-*']")
	p("#     budgets: {readiness-exposure: 5m}")
	p("")
	p("# Which Go package a container runs, where nothing in the repository says so.")
	workload, container, pkg := "Deployment/checkout", "api", "./cmd/api"
	if len(f.Packages) > 0 {
		p("# The main packages here are %s.", listed(f.Packages))
		pkg = f.Packages[0]
	}
	for i, u := range f.Unjoined {
		if i == mostListed {
			p("# Not joined with a program: %d containers more.", len(f.Unjoined)-i)
			break
		}
		p("# Not joined with a program: container %s of %s, %s.", u.Container, u.Workload, strings.TrimSuffix(oneLine(u.Why), "."))
	}
	if len(f.Unjoined) > 0 {
		workload, container = f.Unjoined[0].Workload, f.Unjoined[0].Container
	}
	p("# bindings:")
	p("#   - {workload: %s, container: %s, package: %s}", quoted(workload), quoted(container), quoted(pkg))
	p("")
	p("# Dependencies that readiness is meant to check.")
	p("# critical:")
	p("#   - call: '(*database/sql.DB).PingContext'")
	p("#     in: ./internal/health")
	p("#     reason: orders are the product")
	p("")
	p("# Rules of your own in Rego, and tables of routers, clients and wrappers of your own.")
	p("# policies: [./policies]")
	p("# knowledge: [./probelint-knowledge.yaml]")
	return b.String()
}

func listed(names []string) string {
	n := min(len(names), mostListed)
	s := strings.Join(names[:n], ", ")
	if len(names) > n {
		s += fmt.Sprintf(" and %d more", len(names)-n)
	}
	return oneLine(s)
}

// oneLine keeps a text inside of a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
