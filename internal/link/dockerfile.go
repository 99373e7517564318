package link

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// dockerfile is what a Dockerfile says, as far as it tells which program runs. It is read with a small parser of its own
// (reference: docs.docker.com/reference/dockerfile): FROM, ARG, ENV, WORKDIR, COPY, ADD, RUN, ENTRYPOINT, CMD, with
// continuations, the escape directive and here-documents.
type dockerfile struct {
	path   string
	args   map[string]string // before the first FROM
	stages []*stage
}

// stage is one FROM with what follows.
type stage struct {
	name, base string
	line       int
	start, end int // bytes of the instruction's first line
	steps      []step
}

// step is one instruction.
type step struct {
	op    string // upper case
	flags map[string]string
	text  string   // after the flags; here-documents follow on lines of their own
	exec  []string // the JSON form
	line  int
	span  model.Span
}

// parseDockerfile never fails: what it does not know it keeps as a step without meaning.
func parseDockerfile(name string, data []byte) *dockerfile {
	d := &dockerfile{path: name, args: map[string]string{}}
	lines := splitLines(string(data))
	escape := "\\"
	for _, l := range lines { // directives stand before everything else
		k, v, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(l.text), "#"), "=")
		if !strings.HasPrefix(l.text, "#") || !ok {
			break
		}
		if strings.EqualFold(strings.TrimSpace(k), "escape") && strings.TrimSpace(v) == "`" {
			escape = "`"
		}
	}
	for i := 0; i < len(lines); i++ {
		first := lines[i]
		text := strings.TrimSpace(first.text)
		if text == "" || text[0] == '#' {
			continue
		}
		for strings.HasSuffix(text, escape) && i+1 < len(lines) {
			text = strings.TrimSuffix(text, escape)
			i++
			next := strings.TrimSpace(lines[i].text)
			for (next == "" || next[0] == '#') && i+1 < len(lines) { // comments and blank lines inside are dropped
				i++
				next = strings.TrimSpace(lines[i].text)
			}
			text += " " + next
		}
		op, rest, _ := strings.Cut(text, " ")
		s := step{op: strings.ToUpper(op), line: first.number, flags: map[string]string{}}
		s.span = model.Span{File: name, Start: first.start, End: first.start + len(strings.TrimRight(first.text, " \t\r")), Line: first.number}
		rest = s.cutFlags(strings.TrimSpace(rest))
		if s.op == "RUN" || s.op == "COPY" || s.op == "ADD" {
			for _, mark := range hereMarks(rest) {
				rest += "\n"
				for i+1 < len(lines) {
					i++
					if strings.TrimSpace(lines[i].text) == mark {
						break
					}
					rest += lines[i].text + "\n"
				}
			}
		}
		s.text = rest
		if strings.HasPrefix(rest, "[") {
			if json.Unmarshal([]byte(rest), &s.exec) != nil {
				s.exec = nil
			}
		}
		d.add(s)
	}
	return d
}

func (d *dockerfile) add(s step) {
	switch {
	case s.op == "FROM":
		f := strings.Fields(s.text)
		st := &stage{line: s.line, start: s.span.Start, end: s.span.End}
		if len(f) > 0 {
			st.base = expandVars(f[0], func(n string) (string, bool) { v, ok := d.args[n]; return v, ok })
		}
		if len(f) >= 3 && strings.EqualFold(f[1], "AS") {
			st.name = f[2]
		}
		d.stages = append(d.stages, st)
	case len(d.stages) == 0:
		if s.op == "ARG" {
			for _, kv := range pairs(s.text) {
				if kv.has {
					d.args[kv.name] = kv.value
				}
			}
		}
	default:
		st := d.stages[len(d.stages)-1]
		st.steps = append(st.steps, s)
	}
}

// cutFlags takes `--from=x --mount=...` off the front.
func (s *step) cutFlags(text string) string {
	for strings.HasPrefix(text, "--") {
		word, rest, _ := strings.Cut(text, " ")
		k, v, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		s.flags[k] = v
		text = strings.TrimSpace(rest)
	}
	return text
}

// hereMarks are the end marks of the here-documents that an instruction opens: <<EOF, <<-EOF, <<"EOF".
func hereMarks(text string) []string {
	var out []string
	for _, f := range strings.Fields(text) {
		if i := strings.Index(f, "<<"); i >= 0 && !strings.HasPrefix(f[i:], "<<<") {
			m := strings.Trim(strings.TrimPrefix(f[i+2:], "-"), `"'`)
			if m != "" && !strings.ContainsAny(m, "$()") {
				out = append(out, m)
			}
		}
	}
	return out
}

// stage returns the stage of a name or number, nil where there is none.
func (d *dockerfile) stage(ref string) *stage {
	for i, s := range d.stages {
		if s.name != "" && strings.EqualFold(s.name, ref) || ref == itoa(i) {
			return s
		}
	}
	return nil
}

// last is the stage that an image is made of where no target is named.
func (d *dockerfile) last() *stage {
	if len(d.stages) == 0 {
		return nil
	}
	return d.stages[len(d.stages)-1]
}

// chain is the stage and the stages of this file that it is built on, nearest first.
func (d *dockerfile) chain(s *stage) []*stage {
	var out []*stage
	for s != nil && len(out) <= len(d.stages) {
		out = append(out, s)
		s = d.stage(s.base)
		if s != nil && s == out[len(out)-1] {
			break
		}
	}
	return out
}

type pair struct {
	name, value string
	has         bool
}

// pairs reads `A=1 B="x y"`, and the old form `A value`.
func pairs(text string) []pair {
	words := splitQuoted(text)
	if len(words) >= 2 && !strings.Contains(words[0], "=") {
		return []pair{{words[0], strings.TrimSpace(strings.TrimPrefix(text, words[0])), true}}
	}
	var out []pair
	for _, w := range words {
		k, v, has := strings.Cut(w, "=")
		out = append(out, pair{k, v, has})
	}
	return out
}

func splitQuoted(s string) []string {
	var out []string
	var b strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case c == '\\' && i+1 < len(s) && quote != '\'':
			i++
			b.WriteByte(s[i])
			in = true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if in {
				out = append(out, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, b.String())
	}
	return out
}

// anything stands for a part of a name that is not known.
const anything = "*"

// expandVars replaces $NAME, ${NAME}, ${NAME:-default} and ${NAME:+other}; a name without a value becomes anything.
func expandVars(s string, value func(string) (string, bool)) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		rest := s[i+1:]
		if rest[0] == '{' {
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				b.WriteString(s[i:])
				break
			}
			name, def := rest[1:end], ""
			for _, op := range []string{":-", ":+", "-", "%", "#", "/"} {
				if n, d, ok := strings.Cut(name, op); ok && n != "" {
					name = n
					if op == ":-" || op == "-" {
						def = d
					}
					break
				}
			}
			v, ok := value(name)
			switch {
			case ok && v != "":
				b.WriteString(v)
			case def != "":
				b.WriteString(def)
			default:
				b.WriteString(anything)
			}
			i += end + 1
			continue
		}
		n := 0
		for n < len(rest) && (rest[n] == '_' || rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'A' && rest[n] <= 'Z' || rest[n] >= 'a' && rest[n] <= 'z') {
			n++
		}
		if n == 0 {
			b.WriteByte('$')
			continue
		}
		if v, ok := value(rest[:n]); ok && v != "" {
			b.WriteString(v)
		} else {
			b.WriteString(anything)
		}
		i += n
	}
	return b.String()
}

type textLine struct {
	text          string
	number, start int
}

func splitLines(s string) []textLine {
	var out []textLine
	for n, start := 1, 0; start <= len(s); n++ {
		end := strings.IndexByte(s[start:], '\n')
		if end < 0 {
			end = len(s) - start
		}
		out = append(out, textLine{strings.TrimRight(s[start:start+end], "\r"), n, start})
		start += end + 1
	}
	return out
}

func itoa(i int) string {
	if i < 0 {
		return "-" + itoa(-i)
	}
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

// under joins a path of the image or of the tree; an absolute name stands for itself.
func under(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
