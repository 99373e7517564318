// Package pace tells the garbage collector how far the heap may grow between two collections. Go's own rule, as much again
// as is in use, is wrong at both ends of a run: while charts and kustomizations are rendered 30 MB are in use and a
// collection every 30 MB costs a quarter of the time, and at the end of the analysis of a large repository it lets half a
// gigabyte of garbage stand.
package pace

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The room for garbage, in bytes: at least least, at most most, in between as much as is in use; but never less than a
// quarter of what is in use.
const (
	least = 48 << 20
	most  = 256 << 20
)

// Keep sets the pace from the next collection on to the end of the process. Where the environment sets GOGC that holds.
func Keep() {
	if os.Getenv("GOGC") == "" {
		runtime.SetFinalizer(&mark{}, func(*mark) { adjust() })
	}
}

// mark is collected in each cycle. It holds a pointer so that it is allocated by itself.
type mark struct{ _ *mark }

// adjust sets the percentage for the heap as the last collection left it.
func adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	debug.SetGCPercent(percent(live[0].Value.Uint64()))
	Keep()
}

// percent is what the heap may grow by, of what is in use.
func percent(live uint64) int {
	if live == 0 {
		return 100
	}
	room := max(min(max(live, least), most), live/4)
	return int(min(room*100/live, 1000))
}
