//go:build !linux && !darwin

package cache

import (
	"io/fs"
	"time"
)

// statOf says nothing here: without the time of the last change of any kind, files are read each time.
func statOf(fs.FileInfo) (stat string, newest time.Time, exact bool) { return "", time.Time{}, false }
