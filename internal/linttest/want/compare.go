package want

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

// Compare returns a message for each finding that nobody wanted and each want that nothing met.
func Compare(res *engine.Result, wants []*Want) []string {
	var faults []string
	for _, f := range res.Findings {
		at := report.PlaceOf(res.Set, f.Primary.Span)
		var near *Want
		found := false
		for _, w := range wants {
			if w.met || w.level == lint.Off || w.file != f.Primary.Span.File || w.line != at.Line {
				continue
			}
			if w.level == f.Level && w.text.MatchString(f.Title) {
				w.met, found = true, true
				break
			}
			near = w
		}
		switch {
		case found:
		case near != nil:
			faults = append(faults, fmt.Sprintf("this finding is not the wanted one\nwant  %s %q\ngot   %s %q\n%s", near.level, near.text, f.Level, f.Title, Frame(res, f)))
			near.met = true
		default:
			faults = append(faults, fmt.Sprintf("nobody wants this finding; `want %s %q` on %s:%d would\n%s", f.Level, f.Title, f.Primary.Span.File, at.Line, Frame(res, f)))
		}
	}
	for _, w := range wants {
		if w.level == lint.Off {
			w.met = hasLabel(res, w)
		}
		if !w.met {
			faults = append(faults, "not reported: "+w.String()+"\n"+Reported(res))
		}
	}
	return faults
}

// Panics are what the interpreter met and could not stand: a run goes on behind it, a test does not.
func Panics(res *engine.Result) []string {
	var out []string
	look := func(us []model.Unfollowed) {
		for _, u := range us {
			if strings.Contains(u.Why, "the analysis failed") {
				out = append(out, u.Call+": "+u.Why)
			}
		}
	}
	for _, p := range res.Programs {
		look(p.Stopped)
	}
	for _, w := range res.Workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				if p.Endpoint != nil {
					look(p.Endpoint.Unfollowed)
				}
			}
		}
	}
	return out
}

func hasLabel(res *engine.Result, w *Want) bool {
	for _, f := range res.Findings {
		for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
			if l.Span.File == w.file && report.PlaceOf(res.Set, l.Span).Line == w.line && w.text.MatchString(l.Text) {
				return true
			}
		}
	}
	return false
}

// Reported lists what there is instead of what was wanted.
func Reported(res *engine.Result) string {
	if len(res.Findings) == 0 {
		var b strings.Builder
		fmt.Fprintf(&b, "nothing was reported; %s", text.Summary(&report.Input{Summary: res.Summary}))
		for _, l := range res.Limits {
			b.WriteString("\nnot checked: " + report.LimitLine(l))
		}
		for _, w := range res.Workloads {
			for _, c := range w.Containers {
				for _, p := range c.Probes {
					fmt.Fprintf(&b, "\n%s %s %s: ", w.Ref(), c.Name, p.Role)
					if p.Endpoint != nil {
						fmt.Fprintf(&b, "answered by %s (%s:%d)", p.Endpoint.Symbol, p.Endpoint.File, p.Endpoint.Line)
					} else {
						fmt.Fprintf(&b, "not linked: %s", p.Reason)
					}
				}
			}
		}
		return b.String()
	}
	var b strings.Builder
	b.WriteString("reported:")
	for _, f := range res.Findings {
		b.WriteString("\n  " + report.Line(res.Set, f))
		for _, l := range f.Labels {
			fmt.Fprintf(&b, "\n    %s:%d: %s", l.Span.File, report.PlaceOf(res.Set, l.Span).Line, l.Text)
		}
	}
	return b.String()
}

// Frame draws one finding.
func Frame(res *engine.Result, f lint.Finding) string {
	var b bytes.Buffer
	in := &report.Input{Findings: []lint.Finding{f}, Set: res.Set, Show: lint.Info}
	if err := text.Write(&b, in, text.Options{Quiet: true}); err != nil {
		return err.Error()
	}
	return b.String()
}
