//go:build linux || darwin

package cache

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// statOf is what the system says of a file that differs after every change, and when it last changed.
func statOf(info fs.FileInfo) (stat string, newest time.Time, exact bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}, false
	}
	changed := changeTime(s)
	newest = info.ModTime()
	if changed.After(newest) {
		newest = changed
	}
	return fmt.Sprintf("%d %d %d %d %o", info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), s.Ino, info.Mode()), newest, true
}
