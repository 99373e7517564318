package knowledge

import (
	"path"
	"strings"
)

// ExecCommand is a command of an exec probe and what it really tests.
type ExecCommand struct {
	Name        string
	Variant     string // GNU or busybox where the behaviour differs
	Kind        string // database, cache, http, process, file, wrapper, constant, ...
	Subcommands []string
	// Target is local, remote, none, unknown, inner, default_local (local unless a host flag or variable names another
	// host), by_url or by_args.
	Target             string
	HostFlags, HostEnv []string
	// TimeoutFlags and TimeoutEnv bound the whole command; ConnectOnly does not.
	TimeoutFlags, TimeoutEnv, ConnectOnly []string
	// DefaultTimeout is how many seconds the command lasts at worst without a flag; 0: no limit, or unknown.
	// DefaultTimeoutText says it in words.
	DefaultTimeout     float64
	DefaultTimeoutText string
	// FalseOK are the ways to exit 0 although unhealthy, FalseFail the ways to fail although healthy.
	FalseOK, FalseFail []string
	Exit               []ExitCode
	Fixes, Notes       []string
	// Tested is true (run), source (read in the program's source) or docs.
	Tested string
}

// ExitCode is what an exit code means.
type ExitCode struct{ Code, Meaning string }

// LookupExec finds a command by its name or an alias; a directory before it does not matter.
func LookupExec(name string) (ExecCommand, bool) { return Default().LookupExec(name) }

// LookupExec is like the function [LookupExec]. Of a command with variants it returns the first (GNU); LookupExecVariant
// chooses.
func (b *Base) LookupExec(name string) (ExecCommand, bool) { return b.LookupExecVariant(name, "") }

// LookupExecVariant finds a command by name and variant; with variant "" the first.
func (b *Base) LookupExecVariant(name, variant string) (ExecCommand, bool) {
	if !strings.HasPrefix(name, "/dev/") {
		name = path.Base(name)
	}
	for ; b != nil; b = b.below {
		for i := range b.Commands {
			if c := &b.Commands[i]; c.Name == name && (variant == "" || c.Variant == "" || c.Variant == variant) {
				return *c, true
			}
		}
	}
	return ExecCommand{}, false
}
