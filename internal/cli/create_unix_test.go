//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// A pipe under a name, such as /dev/stdout or >(head -1), whose reader goes away ends the writing.
func TestWriteFileToAPipeThatIsClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	name := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("no /dev/fd")
	}
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 20))
		_ = r.Close()
	}()
	done := make(chan error, 1)
	go func() {
		done <- writeFile(name, func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20))
			return err
		})
	}()
	select {
	case err := <-done:
		if !errors.Is(err, syscall.EPIPE) {
			t.Errorf("got %v, want a broken pipe", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("still writing")
	}
}
