package endpoint_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/model"
)

// TestFacts runs testdata/facts/*.txtar: the facts of internal/model/facts.go for programs and endpoints. A line of `want`
// is `PROGRAM: facts` or `PROGRAM GET /path: facts`, as the functions below print them; `-` stands for none.
func TestFacts(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "facts", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want string
			var files []txtar.File
			for _, f := range ar.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files = append(files, f)
			}
			a := analyze(t, files)
			for _, line := range strings.Split(strings.TrimSpace(want), "\n") {
				if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
					continue
				}
				asked, expected, _ := strings.Cut(line, ": ")
				got, err := factsOf(a, files, strings.Fields(asked))
				if err != nil {
					t.Errorf("%s: %v", asked, err)
				} else if got != expected {
					t.Errorf("%s\n want %s\n  got %s", asked, expected, got)
				}
			}
		})
	}
}

func factsOf(a *endpoint.Analysis, files []txtar.File, asked []string) (string, error) {
	for _, p := range a.Programs() {
		if p.Name() != asked[0] {
			continue
		}
		d := describer{files: files}
		if len(asked) == 1 {
			return d.program(p), nil
		}
		var routes []*model.Route
		for _, s := range p.Servers {
			routes = append(routes, s.Routes...)
		}
		req := model.Request{Method: asked[1], Path: asked[2]}
		m := link.MatchRoutes(routes, req)
		if m.Route == nil {
			return "", fmt.Errorf("no route")
		}
		ep := a.Endpoint(p, m.Route, req, &model.Container{})
		if ep == nil {
			return "", fmt.Errorf("no endpoint")
		}
		if why := panicked(ep); why != "" {
			return "", fmt.Errorf("%s", why)
		}
		return d.endpoint(ep), nil
	}
	return "", fmt.Errorf("no program %s", asked[0])
}

// describer prints facts; a place is the text that its span covers.
type describer struct{ files []txtar.File }

func (d describer) text(s model.Span) string {
	for _, f := range d.files {
		if f.Name == s.File && s.End <= len(f.Data) {
			t := string(f.Data[s.Start:s.End])
			if i := strings.IndexByte(t, '\n'); i >= 0 {
				t = t[:i] + "…"
			}
			return "`" + t + "`"
		}
	}
	return "?"
}

func join(parts []string) string {
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, "; ")
}

func (d describer) program(p *model.Program) string {
	var out []string
	if s := p.Shutdown; s != nil {
		t := "shutdown"
		if !s.Graceful {
			t = "no graceful shutdown"
		}
		if s.Wait != nil {
			t += " wait " + seconds(*s.Wait)
		}
		if s.WaitMost != nil {
			t += " wait at most " + seconds(*s.WaitMost)
		}
		if s.Timeout != nil {
			t += " timeout " + seconds(*s.Timeout)
		}
		out = append(out, t)
	}
	if u := p.Unawaited; u != nil {
		t := "unawaited " + d.text(u.Serve) + " " + d.text(u.Shutdown)
		if u.Fatal {
			t += " fatal"
		}
		out = append(out, t)
	}
	for _, w := range p.Startup {
		t := "start " + w.Kind + " " + w.What
		if w.Unbounded {
			t += " unbounded"
		} else if w.Seconds > 0 {
			t += " " + seconds(w.Seconds)
		}
		if !w.Sure {
			t += " maybe"
		}
		out = append(out, t)
	}
	if w := p.Warmup; w != nil {
		out = append(out, "warm-up "+w.What+" after "+d.text(w.Listener))
	}
	for _, s := range p.Servers {
		if s.Outcome != model.OutcomeUnknown {
			out = append(out, s.Address+" "+string(s.Outcome))
		}
	}
	return join(out)
}

func (d describer) endpoint(e *model.Endpoint) string {
	var out []string
	if f := e.Answer.FailingOK; f != nil {
		t := "failing " + f.Call + " answers " + strconv.Itoa(f.Status) + " " + d.text(f.Write)
		if f.Degraded {
			t += " degraded"
		}
		out = append(out, t)
	}
	if l := e.Answer.LateStatus; l != nil {
		t := fmt.Sprintf("late %d behind %d", l.Status, l.FirstStatus)
		if l.MissingReturn {
			t += " missing return"
		}
		out = append(out, t+" "+d.text(l.Late))
	}
	if f := e.Answer.EarlyFlush; f != nil {
		out = append(out, "flushed before "+d.text(f.Check))
	}
	if e.Answer.ErrorText {
		out = append(out, "error text "+d.text(e.Answer.ErrorTextSpan))
	}
	for _, h := range e.Hollow {
		out = append(out, "hollow "+h.Why+" "+d.text(h.Span))
	}
	for _, c := range e.Connections {
		t := "connects " + c.Name
		if c.Closed {
			t += " closed"
		}
		if c.Escapes {
			t += " escapes"
		}
		out = append(out, t)
	}
	for _, l := range e.Leaks {
		out = append(out, "leaks "+l.Kind+" "+d.text(l.Span))
	}
	for _, w := range e.Wrappers {
		t := fmt.Sprintf("wrapper %s %v %s", w.Symbol[strings.LastIndexByte(w.Symbol, '/')+1:], w.Statuses, w.Kind)
		if w.Always {
			t += " always"
		}
		out = append(out, strings.TrimSpace(t))
	}
	if e.Unchecked != nil && e.Unchecked.Warmup != nil {
		out = append(out, "cold while "+e.Unchecked.Warmup.What)
	}
	for _, x := range e.Dependencies {
		if x.Ignored != nil {
			out = append(out, "ignored by "+x.Ignored.Client)
		}
		if x.Kind == "grpc" {
			t := "bound " + string(x.Bound)
			if x.Deadline != nil && x.Deadline.Known {
				t += " " + seconds(x.Deadline.Seconds)
			}
			out = append(out, t)
		}
		if x.Critical != nil {
			out = append(out, "critical "+x.Critical.Reason)
		}
	}
	return join(out)
}
