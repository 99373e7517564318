package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

func TestToldBeginsWithTheOwnPlaceAndRepeatsNothing(t *testing.T) {
	label := func(file string, start int, text string) lint.Label {
		return lint.Label{Span: model.Span{File: file, Start: start, End: start + 1, Line: start}, Text: text}
	}
	f := lint.Finding{
		Primary: label("cart.go", 20, "no replica is ready while PostgreSQL or Redis is down"),
		Labels: []lint.Label{
			label("cart.go", 25, "in the same file"), label("pool.go", 3, "leads to `Pool.Ping`"), label("redis.go", 4, "leads to `Pool.Ping`"),
			label("deploy.yaml", 7, "readiness asks this every 10s"),
			{Text: "nowhere"},
		},
	}
	want := []lint.Label{f.Primary, f.Labels[1], f.Labels[3]}
	if diff := cmp.Diff(want, report.Told(f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.Primary.Text = ""
	if diff := cmp.Diff(want[1:], report.Told(f)); diff != "" {
		t.Errorf("without a text (-want +got):\n%s", diff)
	}
}
