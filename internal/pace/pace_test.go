package pace

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 100},
		{1 << 20, 1000},  // 10 MiB: Go's smallest heap is 4 MiB
		{32 << 20, 150},  // to 80 MiB
		{64 << 20, 100},  // to 128 MiB
		{200 << 20, 100}, // to 400 MiB
		{256 << 20, 100}, // to 512 MiB
		{512 << 20, 50},  // to 768 MiB
		{1 << 30, 25},    // to 1,280 MiB
		{2 << 30, 25},    // to 2,560 MiB
		{400 << 20, 64},  // to 656 MiB
	} {
		if got := percent(c.live); got != c.want {
			t.Errorf("percent(%d) = %d, want %d", c.live, got, c.want)
		}
	}
}

var sink [][]byte

func TestAdjustFollowsTheHeap(t *testing.T) {
	old := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(old) })
	Keep()
	for range 600 {
		sink = append(sink, make([]byte, 1<<20))
	}
	t.Cleanup(func() { sink = nil })
	deadline := time.Now().Add(20 * time.Second)
	for {
		runtime.GC()
		time.Sleep(10 * time.Millisecond) // finalizers have a goroutine of their own
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		if p := s[0].Value.Uint64(); p >= 35 && p <= 50 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("GOGC is %d with 600 MiB in use", p)
		}
	}
}
