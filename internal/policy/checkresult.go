package policy

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
)

// resultKeys are the keys of a result, relatedKeys those of an entry of `related`.
var (
	resultKeys  = []string{"msg", "at", "field", "severity", "related", "fix", "key"}
	relatedKeys = []string{"msg", "at", "field"}
)

// result checks what deny or warn yields.
func (s *scope) result(u union, r *ast.Rule) {
	if !u.known() {
		return
	}
	at := r.Head.Key.Location
	if at == nil {
		at = r.Location
	}
	for _, sh := range u.of {
		switch sh.kind {
		case isText:
		case isLiteral:
			s.resultObject(sh, at)
		case isObject:
			s.fault(at, Fault{
				Title: "the result is " + sh.what() + " and has no message", Label: "a message, or an object with `msg`",
				Help: "`{\"msg\": ..., \"at\": ...}` names the object that the message is about",
			})
		default:
			s.fault(at, Fault{Title: "the result is " + sh.what() + " and has no message", Label: "a message, or an object with `msg`"})
		}
	}
}

func (s *scope) resultObject(sh *shape, at *ast.Location) {
	for _, k := range sh.order {
		if !slices.Contains(resultKeys, k) {
			help := did(k, resultKeys)
			if help == "" {
				help = "it takes " + oneOfText(resultKeys)
			}
			s.fault(keyLocation(sh, k, at), Fault{Title: lint.Quote(k) + " is no key of a result", Label: "not read", Help: help})
		}
	}
	msg, has := sh.fields["msg"]
	if !has && !sh.open {
		s.fault(at, Fault{Title: "the result has no `msg`", Label: "nothing to say"})
	}
	if has && msg.all(isNumber, isBool, isList, isSet, isObject, isLiteral, isMapping) {
		s.fault(valueLocation(sh, "msg", at), Fault{Title: "`msg` is " + msg.names() + " and no text", Label: "a text is wanted here"})
	}
	if sev, ok := sh.fields["severity"]; ok {
		s.severity(sev, valueLocation(sh, "severity", at))
	}
	target := s.target(sh, at)
	if f, ok := sh.fields["fix"]; ok {
		s.fix(f, target, sh, at)
	}
	if rel, ok := sh.fields["related"]; ok {
		s.related(rel, valueLocation(sh, "related", at))
	}
}

func keyLocation(sh *shape, key string, fallback *ast.Location) *ast.Location {
	if t := sh.terms["key "+key]; t != nil && t.Location != nil {
		return t.Location
	}
	return fallback
}

func valueLocation(sh *shape, key string, fallback *ast.Location) *ast.Location {
	if t := sh.terms[key]; t != nil && t.Location != nil {
		return t.Location
	}
	return fallback
}

func (s *scope) severity(u union, at *ast.Location) {
	if !u.known() {
		return
	}
	for _, sh := range u.of {
		if sh.constant && !slices.Contains(levels, sh.enum[0]) {
			help := did(sh.enum[0], levels)
			if help == "" {
				help = "one of " + oneOfText(levels)
			}
			s.fault(at, Fault{Title: lint.Quote(sh.enum[0]) + " is no severity", Label: "no level of a finding", Help: help})
		}
	}
}

// target checks `at` and `field`, and returns what `at` is.
func (s *scope) target(sh *shape, at *ast.Location) union {
	target, has := sh.fields["at"]
	if has && target.known() {
		for _, alt := range target.of {
			if _, ok := alt.fields["id"]; !ok && !alt.open {
				s.fault(valueLocation(sh, "at", at), Fault{
					Title: "`at` is " + alt.what() + " and has no `id`", Label: "an object of the input is wanted here",
					Help: "a workload, container, probe, endpoint, dependency, service, ingress, budget or program",
				})
				return unknown
			}
		}
	}
	field, ok := sh.fields["field"]
	if !ok {
		return target
	}
	where := valueLocation(sh, "field", at)
	if !has {
		s.fault(where, Fault{Title: "`field` without `at`", Label: "a field of which object is open", Help: "`at` names the object"})
		return target
	}
	if field.known() && target.known() {
		for _, f := range field.of {
			if f.constant {
				s.fieldPath(target, f.enum[0], where)
			}
		}
	}
	return target
}

// fieldPath checks a field path as a result writes it.
func (s *scope) fieldPath(of union, path string, at *ast.Location) bool {
	where, bad := of.path(path)
	if bad == "" {
		return true
	}
	names := where.fieldNames()
	f := Fault{Title: lint.Quote(bad) + " is no field of " + where.names(), Label: "points nowhere", Help: did(bad, names)}
	if len(names) == 0 {
		f.Title = where.names() + " has no field " + lint.Quote(bad)
	} else if f.Help == "" {
		f.Help = "it has " + oneOfText(names)
	}
	s.fault(at, f)
	return false
}

// fix checks the fields that a result offers to set.
func (s *scope) fix(u, target union, sh *shape, at *ast.Location) {
	if !u.known() {
		return
	}
	for _, alt := range u.of {
		if alt.kind != isLiteral && alt.kind != isMapping {
			s.fault(valueLocation(sh, "fix", at), Fault{Title: "`fix` is " + alt.what(), Label: "fields and their values are wanted here"})
			continue
		}
		for _, k := range alt.order {
			where := keyLocation(alt, k, valueLocation(sh, "fix", at))
			if target.known() && !s.fieldPath(target, k, where) {
				continue
			}
			if !fixable(target, k) {
				s.fault(where, Fault{Title: lint.Quote(k) + " cannot be set by a fix", Label: "no field of the manifest that holds one value"})
			}
		}
	}
}

// fixable reports whether a field can be set: it is written in a manifest and holds one value.
func fixable(target union, field string) bool {
	if !target.known() {
		return true
	}
	for _, alt := range target.of {
		switch alt.name {
		case "probe":
			if slices.Contains(probeFields, field) {
				return true
			}
		case "container":
			if field == "image" {
				return true
			}
		case "workload":
			if _, ok := workloadPaths[field]; ok {
				return true
			}
		}
	}
	return false
}

// related checks the further places of a result.
func (s *scope) related(u union, at *ast.Location) {
	if !u.known() {
		return
	}
	for _, list := range u.of {
		if list.kind != isList && list.kind != isSet {
			s.fault(at, Fault{Title: "`related` is " + list.what(), Label: "a list of objects of the input is wanted here"})
			continue
		}
		if !list.elem.known() {
			continue
		}
		for _, alt := range list.elem.of {
			if alt.kind == isLiteral {
				for _, k := range alt.order {
					if !slices.Contains(relatedKeys, k) {
						s.fault(keyLocation(alt, k, at), Fault{
							Title: lint.Quote(k) + " is no key of an entry of `related`", Label: "not read",
							Help: strings.TrimSpace(did(k, relatedKeys)),
						})
					}
				}
				s.target(alt, at)
				continue
			}
			if _, ok := alt.fields["id"]; !ok {
				s.fault(at, Fault{Title: "`related` holds " + alt.what() + " without an `id`", Label: "objects of the input are wanted here"})
			}
		}
	}
}
