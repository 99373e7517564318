package execprobe

import (
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// curlValued are the short options of curl that take a value, which ends a group of options (curl(1) 7.88).
const curlValued = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"

// lies are what the exit codes of programs that decide do not tell, the worst first.
func lies(programs []model.ExecProgram) []model.ExecFault {
	var out []model.ExecFault
	for _, p := range programs {
		if !p.Decides || p.Read {
			continue
		}
		if p.Name == "curl" {
			if curlHides(p.Args) {
				out = append(out, model.ExecFault{Kind: model.ExecNoFail, Program: p.Path, Argument: p.Argument, Add: true, End: p.End})
			}
			continue
		}
		if text := lie(p); text != "" {
			out = append(out, model.ExecFault{Kind: model.ExecLie, Program: p.Name, Text: text, Argument: p.Argument})
		}
	}
	slices.SortStableFunc(out, func(a, b model.ExecFault) int { return strings.Compare(b.Kind, a.Kind) }) // no-fail before lie
	return out
}

// curlHides reports whether curl exits 0 on an answer of 500: without -f, over HTTP, and with all its options in sight.
func curlHides(args []string) bool {
	valued := tools["curl"].valued
	http := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.Contains(a, unknown) && !strings.Contains(a, "://"):
			return false
		case strings.HasPrefix(a, "--fail") && a != "--fail-early", a == "-K", a == "--config", a == "--version", a == "-V", a == "--help":
			return false
		case strings.HasPrefix(a, "--"):
			if slices.Contains(valued, a) {
				i++
			}
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for k := 1; k < len(a); k++ {
				if a[k] == 'f' {
					return false
				}
				if strings.IndexByte(curlValued, a[k]) >= 0 {
					if k == len(a)-1 {
						i++
					}
					break
				}
			}
		default:
			scheme, _, ok := strings.Cut(a, "://")
			if ok && scheme != "http" && scheme != "https" {
				return false
			}
			http = true
		}
	}
	for i := range args {
		if u, ok := value(args, i, "--url"); ok && (!strings.Contains(u, "://") || strings.HasPrefix(u, "http")) {
			http = true
		}
	}
	return http
}

// lie is what a tool's exit code does not tell, "" where it tells all (kb/exec_commands.yaml; those of redis-cli, mysqladmin,
// pg_isready, psql and find were run).
func lie(p model.ExecProgram) string {
	has := func(of ...string) bool {
		return slices.ContainsFunc(p.Args, func(a string) bool { return slices.Contains(of, a) })
	}
	switch p.Name {
	case "redis-cli", "valkey-cli", "keydb-cli":
		if !has("-e") {
			return "exits 0 on an error reply"
		}
	case "mysqladmin", "mariadb-admin":
		if has("ping") {
			return "exits 0 on access denied"
		}
	case "pg_isready":
		return "exits 0 without a login"
	case "psql":
		if (has("-f", "--file") || len(p.Args) > 0 && strings.HasPrefix(p.Args[0], "-f")) && !strings.Contains(strings.Join(p.Args, " "), "ON_ERROR_STOP") {
			return "exits 0 on an SQL error in a file"
		}
	case "find":
		if has("-mmin", "-mtime", "-newer", "-cmin", "-newermt") {
			return "exits 0 when nothing matches"
		}
	case "nodetool":
		if has("status") {
			return "exits 0 when nodes are down"
		}
	case "consul":
		if has("members") {
			return "exits 0 with failed members"
		}
	case "dig":
		return "exits 0 on NXDOMAIN and SERVFAIL"
	case "mongo":
		if strings.Contains(strings.Join(p.Args, " "), "ping") {
			return "exits 0 when the ping fails"
		}
	}
	return ""
}
