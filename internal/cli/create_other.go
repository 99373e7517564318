//go:build !unix

package cli

import "os"

func create(name string) (*os.File, error) { return os.Create(name) }
