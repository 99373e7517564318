package main

import (
	"slices"
	"testing"
)

// What benchstat writes: a loss above the limit, one below it, a gain, one that is not significant, one of one tree alone, and one
// from nothing.
const table = `goos: linux
,old,,new,,,
,sec/op,CI,sec/op,CI,vs base,P
Slow-2,1e-07,1%,1.2e-07,1%,+20.00%,p=0.000 n=8
Little-2,1e-07,1%,1.05e-07,1%,+5.00%,p=0.000 n=8
Better-2,1e-07,1%,5e-08,1%,-50.00%,p=0.000 n=8
Noise-2,1e-07,50%,1.5e-07,50%,~,p=0.300 n=8
New-2,,,1e-07,1%,,
geomean,1e-07,,1.2e-07,,+20.00%,

,old,,new,,,
,allocs/op,CI,allocs/op,CI,vs base,P
Slow-2,8,0%,16,0%,+100.00%,p=0.000 n=8
Zero-2,0,0%,4,0%,?,p=0.000 n=8
`

func TestLosses(t *testing.T) {
	losses, compared, err := lossesOf([]byte(table), []string{"sec/op", "allocs/op"}, 10)
	if want := []string{"Slow-2: +20.00% sec/op", "Slow-2: +100.00% allocs/op", "Zero-2: ? allocs/op"}; err != nil || !slices.Equal(losses, want) || compared != 6 {
		t.Errorf("%q, %d, %v", losses, compared, err)
	}
	losses, compared, _ = lossesOf([]byte(table), []string{"allocs/op"}, 150)
	if len(losses) != 1 || compared != 2 {
		t.Errorf("%q, %d", losses, compared)
	}
}
