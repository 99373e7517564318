package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

func evidence(e model.Evidence) string {
	return e.Step + ": " + e.Fact + place(e.File, e.Line)
}

func answer(a model.Answer) string {
	s := "statuses unknown"
	if len(a.Statuses) > 0 {
		s = strings.TrimPrefix(statuses(a.Statuses), " ")
		if a.Unknown {
			s += " and unknown ones"
		}
	}
	if a.Static {
		s += ", whatever the state"
	}
	if a.ErrorText {
		s += ", with the text of an error"
	}
	if a.Order != "" {
		s += ", " + a.Order
	}
	return s
}

func statuses(codes []int) string {
	if len(codes) == 0 {
		return ""
	}
	parts := make([]string, len(codes))
	for i, c := range codes {
		parts[i] = strconv.Itoa(c)
	}
	return " " + strings.Join(parts, ", ")
}

func budget(b *model.TimeBudget) string {
	s := "at least " + kubelet.Seconds(b.Lower)
	switch {
	case b.Upper == nil:
		s += ", no upper bound known"
	case *b.Upper == b.Lower:
		s = kubelet.Seconds(b.Lower)
	default:
		s = kubelet.Seconds(b.Lower) + " to " + kubelet.Seconds(*b.Upper)
	}
	if b.Unknown {
		s += ", a duration is not known"
	}
	return fmt.Sprintf("%s (%s, from %s)", s, b.Basis, b.From)
}

func cache(c *model.Cache) string {
	s := c.Kind
	if c.Known || c.Seconds > 0 {
		s += ", " + kubelet.Seconds(c.Seconds)
	}
	if c.Aged {
		return s + ", the age is tested"
	}
	return s + ", without an age"
}

func gates(g bool) string {
	if g {
		return ", decides the status"
	}
	return ", does not decide the status"
}

func bound(d *model.Dependency) string {
	s := "bound " + string(d.Bound)
	switch d.Bound {
	case model.BoundNone:
		s = "no deadline"
	case model.BoundRequest:
		s = "bounded by the request alone"
	case model.BoundAnswer:
		s = "the answer is bounded, the call is not"
	case model.BoundConfigured:
		s = "deadline of unknown length"
	case model.BoundUnknown, "":
		s = "deadline unknown"
	}
	if dl := d.Deadline; dl != nil && (dl.Known || dl.Seconds > 0) {
		s = "deadline " + kubelet.Seconds(dl.Seconds)
		if dl.From != "" {
			s += " from " + dl.From
		}
		s += place(dl.File, dl.Line)
	}
	if d.Mode != "" {
		s += ", " + d.Mode
	}
	return s
}

func asFollowed(e *model.Endpoint) string {
	if len(e.Unfollowed) > 0 {
		return ", as far as it was followed"
	}
	return ""
}

func certain(c model.Certainty) string {
	if c == "" {
		return ""
	}
	return "  (" + string(c) + ")"
}

func lineRange(e *model.Endpoint) string {
	if e.EndLine > e.Line {
		return "-" + strconv.Itoa(e.EndLine)
	}
	return ""
}

func at(file string, line int) string {
	if file == "" {
		return ""
	}
	return file + ":" + strconv.Itoa(line)
}

// place is a position in brackets behind a fact.
func place(file string, line int) string {
	if file == "" {
		return ""
	}
	return " (" + at(file, line) + ")"
}

func seconds(s *float64) string {
	if s == nil {
		return "an unknown time"
	}
	return kubelet.Seconds(*s)
}

func tail(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return "  " + strings.Join(facts, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
