package lint

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"liveness-checks-dependency", "liveness-equals-readiness", "error", "text", "json", "jsonl"}
	for _, c := range []struct{ name, want string }{
		{"livenes-checks-dependency", "liveness-checks-dependency"},
		{"liveness-equal-readiness", "liveness-equals-readiness"},
		{"jsno", "json"},
		{"txt", "text"},
		{"json", "json"},
		{"sarif", ""},
		{"", ""},
	} {
		if got := Nearest(c.name, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDistanceCountsASwapOnce(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"ab", "ba", 1}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
