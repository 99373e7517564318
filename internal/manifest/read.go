package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// contents is what one file holds.
type contents struct {
	in       input
	file     File
	src      *source.File
	drafts   []*draft
	around   []*around
	configs  []piece // ConfigMaps that were not parsed yet
	findings []lint.Finding
	why      []string // distinct reasons of documents that were left out
	rendered bool     // false: a template of a chart that was not read
	arena    *arena   // of the nodes while the file is read; nothing holds them afterwards
}

// errTooLarge is the reason of a file above the limit.
var errTooLarge = errors.New("too large")

// readInput reads one file. Whatever goes wrong becomes a finding or a reason.
func (r *reader) readInput(in input, a *arena) (c *contents) {
	a.reset()
	c = &contents{in: in, file: File{Path: in.rel, Status: StatusSkipped}, rendered: true, arena: a}
	defer func() {
		if v := recover(); v != nil {
			c.drafts, c.around, c.configs = nil, nil, nil
			r.fail(c, fmt.Sprintf("the reader stopped: %v", v), lint.Error)
		}
	}()
	raw, err := r.bytes(in)
	switch {
	case errors.Is(err, errTooLarge):
		r.tooLarge(c, err)
		return c
	case err != nil:
		r.fail(c, reason(err), lint.Error)
		return c
	case len(raw) == 0:
		r.empty(c)
		return c
	}
	c.src = source.Decode(in.rel, raw)
	if c.src.Binary() && gate(c.src.Data) == 0 { // a manifest with a zero byte is one that does not parse
		level := lint.Info
		if in.named {
			level = lint.Error
		}
		r.fail(c, "binary data", level)
		return c
	}
	c.file.Opened = true
	r.documents(c)
	c.arena = nil
	c.finish()
	c.file.Marked = c.file.Status != StatusSkipped && bytes.Contains(c.src.Data, marker)
	if c.file.Status == StatusRead || len(c.findings) > 0 || in.path == "-" {
		r.set.Add(c.src)
	}
	return c
}

// empty takes a file without a byte. In a walk it informs: a manifest that was cut off and a placeholder look the same.
func (r *reader) empty(c *contents) {
	c.file.Why, c.file.Empty = whyEmpty, true
	if c.in.path == "-" {
		return
	}
	level := lint.Info
	if c.in.named {
		level = lint.Warning
	}
	f := source.New(c.in.rel, nil)
	r.set.Add(f)
	c.findings = append(c.findings, lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    lint.FirstTitle(lint.Quote(c.in.rel)+" is empty", lint.Quote(path.Base(c.in.rel))+" is empty"),
		Primary:  lint.Label{Span: f.Span(0, 0), Text: "not a byte in it"},
		Notes:    []string{"there was nothing to check in it"},
		Identity: []string{c.in.rel, "empty"},
	})
}

// bytes reads a file, at most the limit and one byte more. A named pipe of the command line is read as a file is.
func (r *reader) bytes(in input) ([]byte, error) {
	if in.path == "-" {
		if r.opts.Stdin == nil {
			return nil, errors.New("no standard input")
		}
		return limited(r.opts.Stdin, r.opts.MaxBytes, 0)
	}
	if data, ok := r.opts.Overlay[in.rel]; ok {
		return limited(bytes.NewReader(data), r.opts.MaxBytes, int64(len(data)))
	}
	f, err := os.Open(in.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > r.opts.MaxBytes {
		return nil, fmt.Errorf("%w: %s, and the limit is %s", errTooLarge, size(info.Size()), size(r.opts.MaxBytes))
	}
	return limited(f, r.opts.MaxBytes, info.Size())
}

func limited(from io.Reader, most, expect int64) ([]byte, error) {
	buf := make([]byte, 0, min(expect, most)+512)
	from = io.LimitReader(from, most+1)
	for {
		n, err := from.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
	if int64(len(buf)) > most {
		return nil, fmt.Errorf("%w: the limit is %s", errTooLarge, size(most))
	}
	return buf, nil
}

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// tooLarge reports a file above the limit: an error unless a pass over its bytes shows that it holds nothing of use.
func (r *reader) tooLarge(c *contents, err error) {
	level := lint.Error
	if !c.in.named && c.in.path != "-" {
		level = r.gateStream(c.in.path)
	}
	r.fail(c, err.Error(), level)
}

// gateStream is gate over a file that is too large to be held: an error where it can hold a pod template, a warning where it
// names a kind, whatever the format. It reads at most 1 GiB.
func (r *reader) gateStream(name string) lint.Level {
	f, err := os.Open(name)
	if err != nil {
		return lint.Error
	}
	defer f.Close()
	const block, overlap, most = 1 << 20, 64, 1 << 30
	buf := make([]byte, block+overlap)
	kept, kind, version, containers, total := 0, false, false, false, 0
	for {
		n, err := io.ReadFull(f, buf[kept:])
		text := buf[:kept+n]
		kind = kind || strings.Contains(string(text), "kind")
		version = version || strings.Contains(string(text), "apiVersion")
		containers = containers || strings.Contains(string(text), "containers")
		total += n
		switch {
		case kind && version && containers || total >= most:
			return lint.Error
		case err != nil && kind:
			return lint.Warning
		case err != nil:
			return lint.Info
		}
		kept = copy(buf, text[len(text)-overlap:])
	}
}

// documents reads the documents of a file.
func (r *reader) documents(c *contents) {
	data := c.src.Data
	whole := gate(data)
	if whole == 0 && !c.in.named && (isTemplate(data) || !claims(data)) {
		c.note(whyNothing(data))
		return
	}
	if c.in.chart != "" && isTemplate(data) {
		c.rendered = false
		c.note("a template of the chart " + c.in.chart + ", which is not rendered")
		return
	}
	pieces := split(data)
	if len(pieces) == 0 {
		c.note("only comments")
	}
	for i, p := range pieces {
		text := data[p.start:p.end]
		u := gate(text)
		switch {
		case isSchema(text):
			c.note(whySchema)
			continue
		case u == useConfig && !c.in.named:
			c.configs = append(c.configs, p)
			continue
		case u == 0 && !c.in.named:
			if claims(text) && !isTemplate(text) {
				if _, err := parse(c.src, p); err != nil {
					r.broken(c, err, i, len(pieces))
				}
			}
			c.note(whyNothing(text))
			continue
		}
		docs, err := parseIn(c.arena, c.src, p)
		if err != nil && isTemplate(text) {
			c.template(p, err)
			continue
		}
		if err != nil {
			r.broken(c, err, i, len(pieces))
		}
		for _, d := range docs {
			if d.templated {
				c.template(p, &syntaxError{d.start, "a template action"})
				break
			}
			d.objects(func(o *object) { r.object(c, o) }, c.note)
		}
	}
}

// kindLine is the kind of an object at the start of a line, in YAML and in JSON.
var kindLine = regexp.MustCompile(`(?m)^(?:[{ ,]*"kind"|kind)[ ]*:[ ]*"?[A-Z]`)

// workloadLine is the kind of an object with a pod template, of Kubernetes itself and of the custom kinds that are met most.
var workloadLine = regexp.MustCompile(`(?m)(?:^kind|"kind")[ ]*:[ ]*["']?(?:Deployment|StatefulSet|DaemonSet|ReplicaSet|ReplicationController|CronJob|Job|Pod|Rollout|DeploymentConfig)\b`)

// claims reports whether a text that the gate refused says that it is a workload: it can be one that was cut off, and is looked at
// for faults.
func claims(text []byte) bool {
	return bytes.Contains(text, []byte("kind")) && workloadLine.Match(text)
}

// whyNothing says why a text that the gate refused is of no use.
func whyNothing(text []byte) string {
	switch {
	case gateObject(text):
		return whyNoPod
	case bytes.Contains(text, []byte("kind")) && !bytes.Contains(text, []byte("apiVersion")) && kindLine.Match(text):
		return whyNoVersion
	}
	return whyNotObject
}

// object takes one object of a file.
func (r *reader) object(c *contents, o *object) {
	if a := r.around(o); a != nil {
		c.around = append(c.around, a)
		return
	}
	if o.isTest() {
		c.note(whyTest)
		return
	}
	ts, why := o.templates()
	if why != "" {
		r.overridden(c, o)
		c.note(why)
		return
	}
	for _, t := range ts {
		c.drafts = append(c.drafts, r.workload(o, t, len(ts) > 1))
	}
}

// note remembers why a document was left out.
func (c *contents) note(why string) {
	const most = 8
	if !slices.Contains(c.why, why) && len(c.why) < most {
		c.why = append(c.why, why)
	}
}

// template takes a document that another tool has to render first.
func (c *contents) template(p piece, err *syntaxError) {
	c.note(whyTemplate)
	at := p.start
	for _, mark := range []string{"{{", "{%", "<%"} {
		if i := strings.Index(string(c.src.Data[p.start:p.end]), mark); i >= 0 {
			at = p.start + i
			break
		}
	}
	for _, f := range c.findings {
		if f.Level == lint.Info {
			return // one for a file
		}
	}
	c.findings = append(c.findings, lint.Finding{
		Rule: "unreadable-input", Level: lint.Info, Certainty: model.Proven,
		Title:    lint.Title("%s is a template and was not rendered", lint.Quote(path.Base(c.in.rel))),
		Primary:  lint.Label{Span: c.src.Span(at, min(at+2, len(c.src.Data))), Text: "YAML begins once this is filled in"},
		Notes:    []string{"the parser says: " + err.msg, "the workloads of this document were not checked"},
		Help:     "check what the template renders: `render ... | probelint check -`",
		Identity: []string{c.in.rel, "template"},
	})
}

// finish decides the status.
func (c *contents) finish() {
	c.file.Workloads = len(c.drafts)
	switch {
	case len(c.drafts)+len(c.around)+len(c.configs) > 0:
		c.file.Status = StatusRead
	case c.file.Status == StatusUnreadable:
	default:
		c.file.Status = StatusSkipped
	}
	if c.file.Why == "" {
		c.file.Why = strings.Join(c.why, "; ")
	}
}
