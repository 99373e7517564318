package kubelet

import (
	"math"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Seconds formats a duration for people: "20s", "1.5s", and whole seconds up to an hour as "901s", because the fields of a
// probe are seconds; above an hour "1h30m5s". Fractions are rounded to milliseconds.
func Seconds(s float64) string {
	switch {
	case math.IsInf(s, 0), math.IsNaN(s):
		return "unbounded"
	case s < 0:
		return "-" + Seconds(-s)
	}
	ms := int64(math.Round(s * 1000))
	if ms <= 3600*1000 {
		return trimmed(ms) + "s"
	}
	var b strings.Builder
	b.WriteString(strconv.FormatInt(ms/3_600_000, 10) + "h")
	if m := ms / 60_000 % 60; m > 0 {
		b.WriteString(strconv.FormatInt(m, 10) + "m")
	}
	if rest := ms % 60_000; rest > 0 {
		b.WriteString(trimmed(rest) + "s")
	}
	return b.String()
}

// trimmed is milliseconds as seconds without trailing zeros.
func trimmed(ms int64) string {
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64)
}

// Span formats a range for people: "20s to 31s", or "20s" where both ends are equal.
func Span(r model.Range) string {
	if best, worst := Seconds(r.Best), Seconds(r.Worst); best != worst {
		return best + " to " + worst
	}
	return Seconds(r.Best)
}
