package render

import (
	"io"
	"log"
	"os"
	"sync"
)

// muted counts the builds under way for mute: the only state of the package, because what it guards is the process's.
var muted struct {
	sync.Mutex
	builds int
	null   *os.File
	stderr *os.File
	log    io.Writer
}

// mute keeps kustomize from printing until what it returns is called. kustomize writes its warnings of deprecated fields
// to os.Stderr and those of unused variables to the standard logger, and takes neither a writer nor a logger
// (api/internal/target and api/internal/accumulator, v0.21). Builds may overlap: the first one mutes, and the last one
// to end restores. The caller calls back when kustomize has returned, not when it gives up on it, so that nothing writes
// the variable while kustomize reads it. Nobody else reads it by then: main hands the streams to the command line first.
func mute() (restore func()) {
	muted.Lock()
	defer muted.Unlock()
	if muted.builds++; muted.builds == 1 {
		muted.log = log.Writer()
		log.SetOutput(io.Discard)
		if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
			muted.null, muted.stderr = null, os.Stderr //nolint:forbidigo // put back below; kustomize prints to it and has no option not to
			os.Stderr = null                           //nolint:forbidigo // see above
		}
	}
	return func() {
		muted.Lock()
		defer muted.Unlock()
		if muted.builds--; muted.builds > 0 {
			return
		}
		log.SetOutput(muted.log)
		if muted.null != nil {
			os.Stderr = muted.stderr //nolint:forbidigo // see above
			muted.null.Close()
			muted.null = nil
		}
	}
}
