package concise_test

import (
	"bytes"
	"testing"

	"github.com/probelint/probelint/internal/report/concise"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	if err := concise.Write(&b, reporttest.Input()); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "all.txt", b.Bytes())
}
