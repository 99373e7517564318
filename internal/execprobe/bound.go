package execprobe

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// limit is how a tool bounds itself. The defaults are those of the versions that were run, or of the documentation
// (pg_isready, curl, wget, etcdctl, grpc_health_probe and nc were run).
type limit struct {
	flags []string // whose value is the bound of the whole command
	// def is the bound in seconds without a flag; endless: there is none.
	def     float64
	endless bool
	adjust  func(v float64) float64
}

var limits = map[string]limit{
	"pg_isready":        {flags: []string{"-t", "--timeout"}, def: 3, adjust: atLeastTwo},
	"psql":              {endless: true},
	"redis-cli":         {endless: true},
	"valkey-cli":        {endless: true},
	"keydb-cli":         {endless: true},
	"mysqladmin":        {endless: true},
	"mariadb-admin":     {endless: true},
	"mysql":             {endless: true},
	"mariadb":           {endless: true},
	"mongosh":           {def: 30},
	"curl":              {flags: []string{"-m", "--max-time"}, endless: true},
	"nc":                {flags: []string{"-w"}, endless: true},
	"ncat":              {flags: []string{"-w", "--wait"}, endless: true},
	"netcat":            {flags: []string{"-w"}, endless: true},
	"etcdctl":           {flags: []string{"--command-timeout"}, def: 5},
	"nodetool":          {endless: true},
	"cqlsh":             {flags: []string{"--request-timeout"}, def: 10},
	"clickhouse-client": {flags: []string{"--receive_timeout"}, def: 300},
	"consul":            {endless: true},
	"vault":             {def: 60},
	"kubectl":           {flags: []string{"--request-timeout"}, endless: true},
}

// atLeastTwo: libpq raises a connect_timeout of 1 to 2, and 0 stands for none.
func atLeastTwo(v float64) float64 {
	if v == 1 {
		return 2
	}
	return v
}

// bound is how long a program can last, nil where that is not known or it asks nobody.
func bound(name string, args []string, env func(string) (string, bool)) *model.ExecBound {
	switch name {
	case "wget":
		return wgetBound(args)
	case "grpc_health_probe", "grpc-health-probe":
		return grpcBound(args)
	case "sleep":
		total := 0.0
		for _, a := range args {
			n, ok := seconds(a)
			if !ok {
				return nil
			}
			total += n
		}
		return &model.ExecBound{Seconds: total, From: "sleep " + strings.Join(args, " ")}
	}
	l, ok := limits[name]
	if !ok {
		return nil
	}
	if helpOnly(args) {
		return nil
	}
	for i := range args {
		if strings.Contains(args[i], unknown) && !strings.Contains(args[i], "://") {
			return nil // an option that is not known may be the bound
		}
	}
	for i := range args {
		for _, f := range l.flags {
			v, ok := value(args, i, f)
			if !ok && name == "curl" && f == "-m" {
				v, ok = joined(args, i, 'm')
			}
			if !ok {
				continue
			}
			n, known := seconds(v)
			if !known {
				return nil
			}
			if l.adjust != nil {
				n = l.adjust(n)
			}
			if n == 0 {
				return &model.ExecBound{Endless: true, From: f + " 0"}
			}
			from := f + " " + v
			if name == "curl" {
				if tries, ok := retries(args); ok && tries > 0 {
					n, from = n*float64(tries+1), fmt.Sprintf("%s, %d tries", from, tries+1)
				}
			}
			return &model.ExecBound{Seconds: n, From: from}
		}
	}
	if l.endless {
		return &model.ExecBound{Endless: true}
	}
	if name == "vault" {
		if v, ok := env("VAULT_CLIENT_TIMEOUT"); ok {
			if n, known := seconds(v); known {
				return &model.ExecBound{Seconds: n, From: "VAULT_CLIENT_TIMEOUT"}
			}
			return nil
		}
	}
	return &model.ExecBound{Seconds: l.def, From: "its default"}
}

func helpOnly(args []string) bool {
	return len(args) == 1 && (args[0] == "--version" || args[0] == "--help" || args[0] == "version" || args[0] == "-V")
}

// joined finds the value of a short option inside a group: -sm5, or -sm 5.
func joined(args []string, i int, letter byte) (string, bool) {
	a := args[i]
	if len(a) < 3 || a[0] != '-' || a[1] == '-' {
		return "", false
	}
	for k := 1; k < len(a); k++ {
		switch {
		case a[k] == letter && k+1 < len(a):
			return a[k+1:], true
		case a[k] == letter && i+1 < len(args):
			return args[i+1], true
		case strings.IndexByte(curlValued, a[k]) >= 0:
			return "", false
		}
	}
	return "", false
}

func retries(args []string) (int, bool) {
	for i := range args {
		if v, ok := value(args, i, "--retry"); ok {
			n, err := strconv.Atoi(v)
			return n, err == nil
		}
	}
	return 0, false
}

// wgetBound: -T bounds each try, of which GNU wget makes 20; busybox makes one. Which it is cannot be told, so a bound of
// -T without -t is not known.
func wgetBound(args []string) *model.ExecBound {
	per, tries := "", ""
	for i := range args {
		for _, f := range []string{"-T", "--timeout"} {
			if v, ok := value(args, i, f); ok {
				per = v
			}
		}
		for _, f := range []string{"-t", "--tries"} {
			if v, ok := value(args, i, f); ok {
				tries = v
			}
		}
		if strings.Contains(args[i], unknown) && !strings.Contains(args[i], "://") {
			return nil
		}
	}
	if per == "" {
		return &model.ExecBound{Seconds: 900, From: "its default"}
	}
	n, ok := seconds(per)
	if !ok {
		return nil
	}
	times, err := strconv.Atoi(tries)
	if err != nil {
		times = 1 // busybox, and the least that GNU wget does
	}
	if n == 0 || times == 0 {
		return &model.ExecBound{Endless: true, From: "-T " + per}
	}
	from := "-T " + per
	if times > 1 {
		from += fmt.Sprintf(", %d tries", times)
	}
	return &model.ExecBound{Seconds: n * float64(times), From: from}
}

// grpcBound: the dial and the call have a bound of 1s each by default.
func grpcBound(args []string) *model.ExecBound {
	dial, call, from := 1.0, 1.0, "its default"
	for i := range args {
		for _, f := range []string{"connect-timeout", "rpc-timeout"} {
			for _, dash := range []string{"-", "--"} {
				v, ok := value(args, i, dash+f)
				if !ok {
					continue
				}
				n, known := seconds(v)
				if !known {
					return nil
				}
				if f == "connect-timeout" {
					dial = n
				} else {
					call = n
				}
				from = "-connect-timeout and -rpc-timeout"
			}
		}
	}
	return &model.ExecBound{Seconds: dial + call, From: from}
}

// limitOf is the bound that wrappers set: `timeout 5`, nil where none does.
func limitOf(words []string) *model.ExecBound {
	for i := 0; i < len(words); i++ {
		if n := commandOf(words[i]); n != "timeout" && n != "gtimeout" {
			continue
		}
		for k := i + 1; k < len(words); k++ {
			switch w := words[k]; {
			case w == "-k" || w == "-s" || w == "--kill-after" || w == "--signal":
				k++
			case w == "-t": // busybox before 1.30
			case strings.HasPrefix(w, "-"):
			default:
				if n, ok := seconds(w); ok && n > 0 {
					return &model.ExecBound{Seconds: n, From: "timeout " + w}
				}
				return nil
			}
		}
	}
	return nil
}

// seconds reads 5, 0.5, 5s, 2m, 1500ms.
func seconds(s string) (float64, bool) {
	unit := 1.0
	for _, u := range []struct {
		suffix string
		factor float64
	}{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}} {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, unit = rest, u.factor
			break
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 0 || n > 1e9 {
		return 0, false
	}
	return n * unit, true
}

// ownURL is the URL that curl or wget fetches from this container with a plain GET over HTTP, "" for anything else.
func ownURL(name string, args []string) string {
	t, ok := tools[name]
	if !ok || t.kind != "http" {
		return ""
	}
	url := ""
	for i, a := range args {
		switch {
		case strings.Contains(a, unknown):
			return ""
		case strings.HasPrefix(a, "-"):
			for _, other := range []string{
				"-X", "--request", "-d", "--data", "-T", "-F", "--unix-socket", "--cert", "-E", "-u", "--user", "--post-data", "-K", "--config",
				"--header=Authorization", "-b", "--cookie",
			} {
				if name == "wget" && other == "-T" {
					continue
				}
				if a == other || strings.HasPrefix(a, other+"=") || strings.HasPrefix(other, "--") && strings.HasPrefix(a, other) {
					return ""
				}
			}
		case t.takesValue(args, i):
		case url == "":
			url = a
		default:
			return ""
		}
	}
	if url == "" || lint.Elsewhere(lint.HostOf(url), nil) {
		return ""
	}
	if scheme, _, ok := strings.Cut(url, "://"); ok && scheme != "http" && scheme != "https" {
		return ""
	}
	switch strings.Trim(lint.HostOf(url), "[]") {
	case "localhost", "127.0.0.1", "::1", "0.0.0.0":
		return url
	}
	return ""
}
