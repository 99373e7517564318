//go:build unix

package cli

import (
	"os"
	"syscall"
)

// create is os.Create with a descriptor that blocks, so that the runtime's poller has no part in it: a write to a pipe whose reader went
// away then fails at once, where not every kernel wakes the poller.
func create(name string) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_TRUNC|syscall.O_CLOEXEC, 0o666)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
		return os.NewFile(uintptr(fd), name), nil
	}
}
