// Package sarif writes SARIF 2.1.0 as GitHub code scanning reads it (STYLE.md 5.3): one line a region, both sides of a
// finding as linked related locations and as a code flow, fingerprints that GitHub would compute itself, and the limits
// above which an upload is refused.
package sarif

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

// What GitHub takes (docs.github.com, "SARIF support for code scanning"): a file above maxBytes after gzip or with more than
// maxResults results in a run is refused; of maxLocations related ones and maxFlow steps the rest is dropped.
const (
	maxResults   = 25_000
	maxLocations = 100
	maxFlow      = 1000
	maxText      = 1024
	maxBytes     = 10_000_000
)

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	home   = "https://github.com/probelint/probelint"
	// root is the base of every relative URI: the root of the repository.
	root = "%SRCROOT%"
)

// Write writes one run. say is told in a sentence what GitHub's limits cut; nil for nobody.
func Write(w io.Writer, in *report.Input, say func(string)) error {
	if say == nil {
		say = func(string) {}
	}
	b := &builder{in: in, index: map[string]int{}, hashes: map[string][]string{}}
	l := log{Schema: schema, Version: "2.1.0"}
	r := &l.Runs[0]
	r.ColumnKind = "unicodeCodePoints"
	r.OriginalURIBaseIDs = map[string]artifact{root: {Description: &text{"The root of the repository that was read."}}}
	inv := &r.Invocations[0]
	inv.ExecutionSuccessful = true
	for _, limit := range in.Limits {
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, notification{"note", text{"not checked: " + report.LimitLine(limit)}})
	}
	found := in.Findings
	if n := len(found); n > maxResults {
		found = loudest(found, maxResults)
		cut := fmt.Sprintf("SARIF holds %d of %d findings, the loudest first: GitHub refuses more in one run", maxResults, n)
		inv.ToolExecutionNotifications = append(inv.ToolExecutionNotifications, notification{"warning", text{cut}})
		say(cut)
	}
	r.Results = make([]result, 0, len(found))
	for _, f := range found {
		r.Results = append(r.Results, b.result(f))
	}
	r.Tool.Driver = driver{Name: "probelint", InformationURI: home, Version: in.Version, SemanticVersion: semantic(in.Version), Rules: b.rules}
	if r.Tool.Driver.Rules == nil {
		r.Tool.Driver.Rules = []rule{}
	}
	return encode(w, l, say)
}

// encode writes the log, and where it is long counts its bytes after gzip too.
func encode(w io.Writer, l log, say func(string)) error {
	const small = 2000 // results that stay below maxBytes for certain
	var packed counter
	var zip *gzip.Writer
	if len(l.Runs[0].Results) > small {
		zip = gzip.NewWriter(&packed)
		w = io.MultiWriter(w, zip)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(l); err != nil {
		return err
	}
	if zip == nil {
		return nil
	}
	if err := zip.Close(); err != nil {
		return err
	}
	if packed > maxBytes {
		say(fmt.Sprintf("the SARIF file has %d bytes after gzip, and GitHub refuses more than %d: --show error or --exclude makes it smaller", packed, maxBytes))
	}
	return nil
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// loudest are the n loudest findings in their order.
func loudest(found []lint.Finding, n int) []lint.Finding {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(found[b].Level) - int(found[a].Level) })
	order = order[:n]
	slices.Sort(order)
	out := make([]lint.Finding, n)
	for i, k := range order {
		out[i] = found[k]
	}
	return out
}

// semantic is a version without its v, "" where it is none of a release.
func semantic(version string) string {
	v, ok := strings.CutPrefix(version, "v")
	if !ok || strings.Count(v, ".") < 2 {
		return ""
	}
	return v
}

type builder struct {
	in     *report.Input
	rules  []rule
	index  map[string]int      // rule name -> index in rules
	hashes map[string][]string // file -> hash of each line
}

func (b *builder) result(f lint.Finding) result {
	site := report.SiteOf(b.in, f)
	place := report.FirstLine(b.in.Set, site.File, site.Place)
	r := result{
		RuleID: f.Rule, RuleIndex: b.rule(f), Level: level(f.Level),
		Properties: resultProperties{Certainty: string(certainty(f.Certainty))},
	}
	r.Locations[0] = location{PhysicalLocation: physical(site.File, place)}
	if f.Primary.Text != "" {
		r.Locations[0].Message = &text{report.Printable(f.Primary.Text)}
	}
	r.RelatedLocations = b.related(f)
	r.Message = text{message(f, r.RelatedLocations)}
	r.CodeFlows = b.flow(f)
	r.PartialFingerprints = map[string]string{"probelint/v1": f.Fingerprint}
	if h := b.lineHash(site.File, place.Line); h != "" {
		r.PartialFingerprints["primaryLocationLineHash"] = h
	}
	for _, x := range f.Fixes {
		r.Fixes = append(r.Fixes, b.fix(x))
	}
	if f.Suppressed != nil {
		r.Suppressions = []suppression{{Kind: "inSource", Justification: report.Printable(f.Suppressed.Reason)}}
	}
	return r
}

// related are the labels of a finding, numbered from 1 so that the message can link them: GitHub shows no others.
func (b *builder) related(f lint.Finding) []location {
	var out []location
	for _, l := range f.Labels {
		if l.Span.IsZero() || l.Text == "" || len(out) == maxLocations {
			continue
		}
		out = append(out, b.labelled(l, len(out)+1))
	}
	return out
}

// flow is the way from the probe to what it reaches, step by step, where a finding has two sides.
func (b *builder) flow(f lint.Finding) []codeFlow {
	if len(report.Elsewhere(f)) == 0 || f.Primary.Span.IsZero() {
		return nil
	}
	var c codeFlow
	for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
		if l.Span.IsZero() || len(c.ThreadFlows[0].Locations) == maxFlow {
			continue
		}
		c.ThreadFlows[0].Locations = append(c.ThreadFlows[0].Locations, flowLocation{b.labelled(l, 0)})
	}
	return []codeFlow{c}
}

func (b *builder) labelled(l lint.Label, id int) location {
	out := location{ID: id, PhysicalLocation: physical(l.Span.File, report.PlaceOf(b.in.Set, l.Span))}
	if l.Text != "" {
		out.Message = &text{report.Printable(l.Text)}
	}
	return out
}

// message begins with the title as a sentence of its own, because GitHub shows no more than that where space is short, and
// links every related location.
func message(f lint.Finding, related []location) string {
	var s strings.Builder
	s.WriteString(sentence(f.Title))
	for _, l := range related {
		fmt.Fprintf(&s, "\n- [%s](%d)", linked(l.Message.Text), l.ID)
	}
	for _, n := range f.Notes {
		s.WriteString("\n\n" + sentence(n))
	}
	if f.Help != "" {
		s.WriteString("\n\nHelp: " + sentence(f.Help))
	}
	return s.String()
}

// sentence is text with a full stop.
func sentence(s string) string { return strings.TrimSuffix(plain(s), ".") + "." }

// plain is text in which nothing can be taken for a link (SARIF 3.11.6).
func plain(s string) string {
	return strings.ReplaceAll(report.Printable(s), "](", `\](`)
}

// linked is text for the inside of a link.
func linked(s string) string { return escapeLink.Replace(s) }

var escapeLink = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

func (b *builder) fix(x lint.Fix) fix {
	out := fix{Description: text{report.Printable(x.Title)}, ArtifactChanges: []change{}}
	for _, e := range x.Edits {
		rep := replacement{regionOf(report.PlaceOf(b.in.Set, e.Span)), text{e.Text}}
		uri := artifactOf(e.Span.File)
		i := slices.IndexFunc(out.ArtifactChanges, func(c change) bool { return c.ArtifactLocation.URI == uri.URI })
		if i < 0 {
			i = len(out.ArtifactChanges)
			out.ArtifactChanges = append(out.ArtifactChanges, change{ArtifactLocation: uri})
		}
		out.ArtifactChanges[i].Replacements = append(out.ArtifactChanges[i].Replacements, rep)
	}
	return out
}

// lineHash is GitHub's hash of a line, "" where the bytes that GitHub would read are not those that are kept.
func (b *builder) lineHash(file string, line int) string {
	if b.in.Set == nil {
		return ""
	}
	hs, ok := b.hashes[file]
	if !ok {
		if f, err := b.in.Set.Get(file); err == nil && !f.Recoded {
			hs = lineHashes(f.Data)
		}
		b.hashes[file] = hs
	}
	if line < 1 || line > len(hs) {
		return ""
	}
	return hs[line-1]
}

func physical(file string, p report.Place) physicalLocation {
	return physicalLocation{artifactOf(file), regionOf(p)}
}

func regionOf(p report.Place) region { return region{p.Line, p.Column, p.EndLine, p.EndColumn} }

// artifactOf is a path as a URI: relative to the root of the repository, or a file URI for one outside of it.
func artifactOf(file string) artifact {
	if path.IsAbs(file) || len(file) > 1 && file[1] == ':' { // C:/...
		return artifact{URI: (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(file, "/")}).String()}
	}
	return artifact{URI: (&url.URL{Path: report.Slashes(file)}).EscapedPath(), URIBaseID: root}
}

func level(l lint.Level) string {
	switch l {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	}
	return "note"
}

func certainty(c model.Certainty) model.Certainty {
	if c == "" {
		return model.Proven
	}
	return c
}
