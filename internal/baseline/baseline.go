// Package baseline keeps findings that are known and accepted, by their fingerprints: no line and no word of a message is part of
// one, so that a moved file or a reformatted manifest stays known. The file is sorted and has an entry a line, so that its diff in
// a review says what was accepted.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
)

// FileName is where a baseline is written unless another file is asked for.
const FileName = ".probelint-baseline.json"

// Version is that of the form.
const Version = 1

// Entry is what is known of equal findings: those with the same rule and the same place.
type Entry struct {
	Rule   string `json:"rule"`
	Object string `json:"object"`          // the workload, the Go symbol, or the file
	Where  string `json:"where,omitempty"` // the container and the field
	Count  int    `json:"count"`
	// Fingerprint is that of the first of them.
	Fingerprint string `json:"fingerprint"`
}

// String names an entry for people: the rule, the object, the place in it.
func (e Entry) String() string { return strings.TrimSpace(e.Rule + " " + e.Object + " " + e.Where) }

// Sum is how many findings entries stand for.
func Sum(es []Entry) int {
	n := 0
	for _, e := range es {
		n += e.Count
	}
	return n
}

// Baseline is a set of entries, sorted, with what is to be known of the run that made it.
type Baseline struct {
	Entries []Entry
	// Code: the run that made it read Go code, so that a run without says little about what is gone.
	Code bool
}

// neverKnown is the one rule that no baseline accepts: what was not read was not judged.
const neverKnown = "unreadable-input"

// From makes the baseline of findings. What is suppressed is not part of it.
func From(fs []lint.Finding) *Baseline {
	at := map[string]int{}
	b := &Baseline{}
	for _, f := range fs {
		if f.Suppressed != nil || f.Rule == neverKnown {
			continue
		}
		key := lint.Fingerprint(f.Rule, f.Identity, 0)
		if i, ok := at[key]; ok {
			b.Entries[i].Count++
			continue
		}
		at[key] = len(b.Entries)
		object, where := place(f.Identity)
		b.Entries = append(b.Entries, Entry{Rule: f.Rule, Object: object, Where: where, Count: 1, Fingerprint: key})
	}
	b.sort()
	return b
}

func (b *Baseline) sort() {
	slices.SortFunc(b.Entries, func(x, y Entry) int {
		return cmp.Or(strings.Compare(x.Rule, y.Rule), strings.Compare(x.Object, y.Object), strings.Compare(x.Where, y.Where),
			strings.Compare(x.Fingerprint, y.Fingerprint))
	})
}

// place is an identity for people: what the engine makes of the object, the container and the field, or of the code.
func place(id []string) (object, where string) {
	switch {
	case len(id) >= 5 && id[0] == "object":
		object = id[2] + "/" + id[4]
		if id[3] != "" {
			object = id[2] + "/" + id[3] + "/" + id[4]
		}
		return object, strings.Join(slices.DeleteFunc(slices.Clone(id[5:]), func(s string) bool { return s == "" }), " ")
	case len(id) >= 2 && (id[0] == "go" || id[0] == "file" || id[0] == "annotation"):
		return id[1], strings.Join(id[2:], " ")
	case len(id) > 0:
		return id[0], strings.Join(id[1:], " ")
	}
	return "", ""
}

// Count is how many findings the baseline knows.
func (b *Baseline) Count() int { return Sum(b.Entries) }

// Subtract returns the findings that the baseline does not know, how many it knows, and the entries of which fewer were found than
// it knows. Suppressed findings stay: they are known by other means.
func (b *Baseline) Subtract(fs []lint.Finding) (fresh []lint.Finding, known int, stale []Entry) {
	left := map[string]int{}
	for _, e := range b.Entries {
		left[e.Fingerprint] += e.Count
	}
	for _, f := range fs {
		if f.Suppressed == nil && f.Rule != neverKnown {
			if key := lint.Fingerprint(f.Rule, f.Identity, 0); left[key] > 0 {
				left[key]--
				known++
				continue
			}
		}
		fresh = append(fresh, f)
	}
	for _, e := range b.Entries {
		if n := left[e.Fingerprint]; n > 0 {
			e.Count = n
			stale = append(stale, e)
		}
	}
	return fresh, known, stale
}

// Prune takes out what was not found again where it was judged, and returns what is left, how many findings went, and the entries that
// stay because the run did not judge them.
func (b *Baseline) Prune(fs []lint.Finding, judged func(Entry) bool) (left *Baseline, gone int, unjudged []Entry) {
	_, _, stale := b.Subtract(fs)
	less := map[string]int{}
	for _, e := range stale {
		if judged(e) {
			less[e.Fingerprint] = e.Count
			continue
		}
		unjudged = append(unjudged, e)
	}
	left = &Baseline{Code: b.Code}
	for _, e := range b.Entries {
		gone += less[e.Fingerprint]
		if e.Count -= less[e.Fingerprint]; e.Count > 0 {
			left.Entries = append(left.Entries, e)
		}
	}
	return left, gone, unjudged
}

// Text is the file: an entry a line.
func (b *Baseline) Text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"version\":%d,", Version)
	if b.Code {
		out.WriteString(`"code":true,`)
	}
	out.WriteString(`"findings":[`)
	for i, e := range b.Entries {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(e) // strings and a number
		out.Truncate(out.Len() - 1)
	}
	if len(b.Entries) > 0 {
		out.WriteByte('\n')
	}
	out.WriteString("]}\n")
	return out.Bytes()
}

// Parse reads a file. It refuses what it does not know: a baseline that is half read hides findings or invents them.
func Parse(data []byte) (*Baseline, error) {
	var doc struct {
		Version  int     `json:"version"`
		Code     bool    `json:"code"`
		Findings []Entry `json:"findings"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("no baseline: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if d.More() {
		return nil, fmt.Errorf("no baseline: something stands behind its end")
	}
	if doc.Version != Version {
		return nil, fmt.Errorf("version %d of the baseline is not known; this program reads version %d", doc.Version, Version)
	}
	for i, e := range doc.Findings {
		if e.Count < 1 || len(e.Fingerprint) != 64 || e.Rule == "" {
			return nil, fmt.Errorf("no baseline: entry %d has no rule, no fingerprint or no count", i+1)
		}
	}
	b := &Baseline{Entries: doc.Findings, Code: doc.Code}
	b.sort()
	return b, nil
}
