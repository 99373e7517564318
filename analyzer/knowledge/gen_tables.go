//go:build ignore

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func isCall(s symbol) bool {
	return s.Effect != "" && s.Where == "" && s.Last == "" && !strings.Contains(s.Name+s.Recv, "*")
}

func isPattern(s symbol) bool { return s.Effect != "" && !isCall(s) }

func (k *knowledge) clientTables() (calls []row, patterns, clients []string, settings []row) {
	f := k.dependencies
	call := func(e entry, s symbol) string {
		return fmt.Sprintf("%q, %q, %s, %q, %v, %v, %v, %s, %s, %v, %v, %v, false, %q",
			e.ID, e.Kind, effect(s.Effect), s.Op, s.Ctx, s.Err, s.Dur, unit(s.Unit), num(s.Limit), s.IsField, s.IsVar, e.Shared, s.Sig)
	}
	calls = expand(f, isCall, func(e entry, _ string, s symbol) string { return call(e, s) })
	for _, e := range f.Entries {
		for _, p := range e.Packages {
			for _, at := range p.Paths {
				for _, s := range p.Symbols {
					if !isPattern(s) {
						continue
					}
					recvs := append([]string{s.Recv}, strings.Fields(s.DeclaredOn)...)
					for _, recv := range recvs {
						path := at.Path
						if recv != s.Recv {
							path, recv = declared(path, recv)
						}
						t := s
						t.Sig = ""
						if s.Where == "ctx0" {
							t.Ctx = index{set: true}
						}
						line := fmt.Sprintf("%q, %q, %q, %s, %v, %q, %q, Call{\"\", \"\", \"\", %s}", path, recv, s.Name, strs(split(s.Except)), s.Where == "ctx0", s.Last, s.Imports, call(e, t))
						if !slices.Contains(patterns, line) {
							patterns = append(patterns, line)
						}
					}
				}
			}
		}
		clients = append(clients, fmt.Sprintf("%q, %q, %q, %v, %s, %q, %q, %s, %q, %s, %s, %s", e.ID, e.Kind, e.Display, e.Shared,
			honors(e.HonorsCtx), e.CtxIf, e.CtxNote, num(e.NoDeadlineSeconds), e.NoDeadlineNote, strs(e.ErrIn), timeouts(e.Timeouts), sinces(e.Since)))
		for _, s := range e.Settings {
			settings = append(settings, settingRows(e, s)...)
		}
	}
	slices.Sort(clients) // a quoted id leads
	return calls, patterns, clients, unique(settings)
}

// settingRows reads a setting's place: field "TYPE.FIELD", func "NAME" or "TYPE.METHOD", param "NAME".
func settingRows(e entry, s setting) []row {
	recv, name, ok := strings.Cut(cmp.Or(s.Field, s.Func), ".")
	if !ok {
		recv, name = "", recv
	}
	if s.Param != "" {
		recv, name = "dsn", s.Param
	}
	rest := fmt.Sprintf("%q, %q, %v, %q, %s", e.ID, s.Scope, s.Dur, s.Unit, num(s.Default))
	var rows []row
	for _, path := range strings.Fields(s.Path) {
		rows = append(rows, row{path, recv, name, false, rest})
	}
	return rows
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func honors(s string) string {
	switch s {
	case "":
		return "CtxUnknown"
	case "yes", "no", "partly", "depends":
		return "Ctx" + strings.ToUpper(s[:1]) + s[1:]
	}
	panic("honors_ctx " + s)
}

func (k *knowledge) driverTable() []string {
	var out []string
	for _, d := range k.dependencies.Drivers {
		for _, n := range d.Names {
			out = append(out, fmt.Sprintf("%q, %q, %q, %v", n, d.Display, d.Entry, d.File))
		}
	}
	slices.Sort(out)
	return out
}

func (k *knowledge) routerTables() (rows []row, routers []string) {
	rows = expand(k.routers, func(s symbol) bool { return s.Role != "" }, func(e entry, _ string, s symbol) string {
		strct := s.RouteStruct
		if s.OpStruct.set {
			strct = s.OpStruct
		}
		return fmt.Sprintf("%q, %q, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %q, %q, %d, %q",
			e.ID, s.Role, s.Pattern, s.Handler, s.Prefix, s.Method, s.Status, s.Body, s.Check, strct, s.Leaks, s.Dur, s.Ctx, s.Err,
			s.Handler.variadic, s.Body.variadic, s.Leaks.variadic, s.IsVar, s.Detached, s.MethodName, s.Default, s.Answers, s.Sig)
	})
	for _, e := range k.routers.Entries {
		routers = append(routers, fmt.Sprintf("%q, %q, %q, %q, %q, %q, %s, %d, %v", e.ID, e.Display, e.Syntax, e.ReturnedError, e.CtxDetached, e.CtxIf, num(e.TimeoutSeconds), e.TimeoutStatus, e.TimeoutBounds == "both"))
	}
	slices.Sort(routers)
	return rows, routers
}

func (k *knowledge) healthTables() (rows []row, libraries []string) {
	rows = expand(k.health, func(s symbol) bool { return s.Role != "" }, func(e entry, _ string, s symbol) string {
		return fmt.Sprintf("%q, %q, %q, %s, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %s, %q, %q", e.ID, s.Role, s.Kind, effect(s.Effect),
			s.Check, s.Label, s.Pattern, s.Handler, s.Status, s.Dur, s.Ctx, s.Err, s.Check.variadic, s.IsVar, num(s.Limit), s.Sets, s.Sig)
	})
	for _, e := range k.health.Entries {
		p := e.Paths
		libraries = append(libraries, fmt.Sprintf("%q, %q, %q, %q, %q, %q, %s, %q, %v, %q, %q, %s, %q, %q, %d, %v, %v, %q, %d, %q, %q, %q, %q, %q, %v, %v, %q, %s", e.ID, p["liveness"], p["readiness"], p["startup"], p["health"], p["grpc"],
			num(e.TimeoutSeconds), e.TimeoutScope, e.TimeoutRace, e.CheckCtx, e.Cached, num(e.CacheSeconds), e.Aggregate, e.LeaksError, e.FailureStatus, e.Static, e.ReadyHasLive,
			e.LeaksQuery, e.Degraded, e.ReportedField, e.FatalField, e.PeriodField, e.Registry, e.Listens, e.Below, e.TimeoutBounds == "both", e.Verdict, timeouts(e.Timeouts)))
	}
	slices.Sort(libraries)
	return rows, libraries
}

func (k *knowledge) wrapperTable() []row {
	return expand(k.wrappers, func(s symbol) bool { return s.Role != "" }, func(e entry, _ string, s symbol) string {
		return fmt.Sprintf("%q, %q, %s, %v, %v, %v, %v, %s, %v, %v, %v, %v, %v, %d, %v, %q, Tries{%v, %d, %d, %s, %s, %s, %s}", e.ID, s.Role, effect(s.Effect), s.Ctx, s.Err, s.Dur, s.Time, unit(s.Unit),
			s.Handler, s.Body, s.Body.variadic, s.Bounds == "work" || s.Bounds == "both", s.Bounds == "answer" || s.Bounds == "both", s.Answers, s.IsVar, s.Sig,
			s.N, s.Plus, s.Attempts, num(s.Pause), num(s.Grow), num(s.Low), num(s.Total))
	})
}

// symbolTable holds what is no call: fields, types, variables, constants.
func (k *knowledge) symbolTable() []row {
	var all []row
	for _, f := range []file{k.dependencies, k.routers, k.health, k.wrappers} {
		all = append(all, expand(f, func(s symbol) bool { return s.Effect == "" && s.Role == "" }, func(_ entry, _ string, s symbol) string {
			return fmt.Sprintf("%q, %q, %q", s.Kind, s.Type, s.Value)
		})...)
	}
	return unique(all)
}

func (k *knowledge) pathTable() []string {
	var out []string
	for _, e := range k.paths.Entries {
		for _, p := range append([]string{e.Path}, e.Aliases...) {
			p = strings.ToLower("/" + strings.Trim(p, "/"))
			out = append(out, fmt.Sprintf("%q, %q, %q", p, e.Role, e.Note))
		}
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(x, y string) bool { return before(x) == before(y) })
}

func before(line string) string { s, _, _ := strings.Cut(line, ","); return s }

func (k *knowledge) wordTable() []string {
	var out []string
	for _, s := range k.paths.Words {
		for _, w := range s.Words {
			out = append(out, fmt.Sprintf("%q, %q, true", w, s.Role))
		}
		for _, w := range s.Weak {
			out = append(out, fmt.Sprintf("%q, %q, false", w, s.Role))
		}
	}
	return out
}

func (k *knowledge) commandTable() []string {
	var out []string
	for _, c := range k.exec.Commands {
		exit := "nil"
		if n := len(c.Exit.Content); n > 0 {
			var codes []string
			for i := 0; i < n; i += 2 {
				codes = append(codes, fmt.Sprintf("{%q, %q}", c.Exit.Content[i].Value, c.Exit.Content[i+1].Value))
			}
			exit = "[]ExitCode{" + strings.Join(codes, ", ") + "}"
		}
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			out = append(out, fmt.Sprintf("%q, %q, %q, %s, %q, %s, %s, %s, %s, %s, %s, %q, %s, %s, %s, %s, %s, %q", n, c.Variant, c.Kind, strs(c.Subcommands), c.Target, strs(c.HostFlags), strs(c.HostEnv),
				strs(c.TimeoutFlags), strs(c.TimeoutEnv), strs(c.ConnectOnly), num(c.DefaultTimeoutSeconds), c.DefaultTimeout, strs(c.FalseOK), strs(c.FalseFail), exit, strs(c.Fixes), strs(c.Notes), c.Tested))
		}
	}
	return out
}

func (k *knowledge) patternPaths() []string {
	var out []string
	for _, e := range k.dependencies.Entries {
		for _, p := range e.Packages {
			for _, at := range p.Paths {
				if !strings.Contains(at.Path, "*") && slices.ContainsFunc(p.Symbols, isPattern) {
					out = append(out, at.Path)
				}
			}
		}
	}
	return out
}

// index2 writes the index by import path and the one by path without major version.
func index2(tables map[string][]row, extra []string) string {
	type span struct{ lo, hi int }
	at := map[string]map[string]span{}
	for name, rows := range tables {
		for i, r := range rows {
			if at[r.path] == nil {
				at[r.path] = map[string]span{}
			}
			s, ok := at[r.path][name]
			if !ok {
				s.lo = i
			}
			s.hi = i + 1
			at[r.path][name] = s
		}
	}
	for _, p := range extra {
		if at[p] == nil {
			at[p] = map[string]span{}
		}
	}
	var paths []string
	for p := range at {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var lines []string
	type stem struct {
		stem   string
		v, pkg int
	}
	var stems []stem
	for i, p := range paths {
		line := strconv.Quote(p)
		for _, t := range []string{"calls", "routes", "checks", "wrappers", "settings", "symbols"} {
			line += fmt.Sprintf(", rows{%d, %d}", at[p][t].lo, at[p][t].hi)
		}
		lines = append(lines, line)
		s, v := splitVersion(p)
		stems = append(stems, stem{s, v, i})
	}
	slices.SortFunc(stems, func(x, y stem) int { return cmp.Or(strings.Compare(x.stem, y.stem), cmp.Compare(x.v, y.v)) })
	var variants []string
	for _, s := range stems {
		variants = append(variants, fmt.Sprintf("%q, %d, %d", s.stem, s.v, s.pkg))
	}
	return list("Packages", "packageIndex", lines) + "\n" + list("Variants", "variant", variants)
}

// splitVersion is the function of that name in base.go; a test compares the index with one that base.go builds.
func splitVersion(path string) (stem string, version int) {
	for i := 0; i+2 < len(path); i++ {
		if (path[i] != '/' && path[i] != '.') || path[i+1] != 'v' {
			continue
		}
		j, n := i+2, 0
		for j < len(path) && '0' <= path[j] && path[j] <= '9' && n < 1000 {
			n = n*10 + int(path[j]-'0')
			j++
		}
		if j > i+2 && n > 1 && (j == len(path) || path[j] == '/') {
			return path[:i] + path[j:], n
		}
	}
	return path, 1
}
