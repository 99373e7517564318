package model

// ExecCommand is what a command line does: that of an exec probe or of a preStop hook (package execprobe). The runtime
// starts the first word without a shell; behind `sh -c` a script is read as the shell reads it.
type ExecCommand struct {
	// Shell is the shell that runs a script given with -c ("sh", "bash"), "" where the first word is started as it stands.
	Shell string
	// Programs are the programs in order, the shell's own builtins included, behind wrappers such as timeout and env. Whole is
	// false where the script could not be read to its end (it does not parse, or runs a text that is not known).
	Programs []ExecProgram
	Whole    bool
	// Always says why the command exits 0 whatever it asks, nil where it can fail or that is not known.
	Always *ExecFault
	// NotShell is a word that means something to a shell and is handed to a program instead; nil where there is none.
	NotShell *ExecFault
	// Lies are ways in which a command that decides exits 0 although what it asks is broken, the worst first.
	Lies []ExecFault
}

// ExecProgram is one program of a command line.
type ExecProgram struct {
	Name string // base name: curl, pg_isready, sh
	Path string // as written: /usr/bin/curl
	Args []string
	// Builtin: the shell has it built in, so that the image need not hold it.
	Builtin bool
	// Decides: its exit status can turn that of the command. Read: its output is looked at instead (grep, [ "$(...)" ]).
	Decides, Read bool
	// Kind is what it asks (database, http, process, file, ...), "" where that is not known; Heavy says what it starts that takes
	// long ("a JVM").
	Kind, Heavy string
	// Bound says how long it can last; nil where that is not known.
	Bound *ExecBound
	// URL is what it fetches over HTTP from this container itself with a plain GET; "" for everything else.
	URL string
	// Argument is the index into the command that holds it. End is the byte behind its name within that argument, -1 where it is
	// not known.
	Argument, End int
}

// ExecBound is how long a program lasts at most.
type ExecBound struct {
	// Seconds is the limit. Endless: there is none, it can wait as long as the other side is silent.
	Seconds float64
	Endless bool
	// From names the option that sets it ("--max-time 10"), or says that it is the default.
	From string
}

// ExecFault is a way in which a command misses its purpose.
type ExecFault struct {
	// Kind is one of the Exec... constants; Program is the command that it is about, Text what is written or happens there.
	Kind, Program, Text string
	Argument            int
	// Add: `-f` behind the program's name cures it, at byte End of the argument (-1: the argument is the program alone).
	Add bool
	End int
}

// The values of ExecFault.Kind.
const (
	ExecConstant   = "constant"   // the command can only succeed: true, exit 0
	ExecOr         = "or"         // `|| true`
	ExecLast       = "last"       // the last command of a list cannot fail
	ExecPipe       = "pipe"       // the last command of a pipe cannot fail
	ExecBackground = "background" // `&`
	ExecSelf       = "self"       // a search of processes that finds itself
	ExecOneWord    = "one-word"   // a whole command line in one word
	ExecOperator   = "operator"   // an operator of the shell as an argument
	ExecNoScript   = "no-script"  // a shell without -c, whose script would be a file of that name
	ExecNoFail     = "no-fail"    // curl without -f
	ExecLie        = "lie"        // the tool's own exit code says less than it seems to
)

// Image is what is known of the file system of a container's image, from its reference or from the Dockerfile of the tree
// that builds it.
type Image struct {
	// Kind is one of the Image... constants.
	Kind string
	// Base is the image as it is written, Span where; Dockerfile is the file relative to the root, "" where the reference in the
	// manifest tells.
	Base       string
	Span       Span
	Dockerfile string
	// Certainty is that of the way from the container to the Dockerfile.
	Certainty Certainty
	// Programs are the names of programs that COPY or the base brings beside the application's own; "*" where that cannot be
	// told.
	Programs []string
	// Healthcheck is the HEALTHCHECK instruction in force, zero where there is none.
	Healthcheck Span
}

// The values of Image.Kind. ImageBare has no program but its own; the others lack single tools.
const (
	ImageUnknown = ""
	ImageBare    = "bare"
	ImageAlpine  = "alpine"
	ImageDebian  = "debian"
)
