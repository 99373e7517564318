package execprobe_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/execprobe"
	"github.com/probelint/probelint/internal/model"
)

func env(name, value string) model.EnvVar {
	return model.EnvVar{Name: name, Value: value, Known: true, From: "manifest"}
}

func TestDescribe(t *testing.T) {
	pg := func(host string, decides bool, at int) model.ExecCheck {
		return model.ExecCheck{
			Command: "pg_isready", Kind: "database", Name: "PostgreSQL", Host: host,
			Remote: host != "" && host != "127.0.0.1" && host != "localhost" && host != "/var/run", Decides: decides, Argument: at,
		}
	}
	for name, c := range map[string]struct {
		command []string
		env     []model.EnvVar
		want    []model.ExecCheck
	}{
		"default host":       {command: []string{"pg_isready"}, want: []model.ExecCheck{pg("", true, 0)}},
		"remote":             {command: []string{"pg_isready", "-h", "db"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"joined":             {command: []string{"/usr/bin/pg_isready", "-hdb"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"long":               {command: []string{"pg_isready", "--host=db", "-U", "x"}, want: []model.ExecCheck{pg("db", true, 0)}},
		"loopback":           {command: []string{"pg_isready", "-h", "127.0.0.1"}, want: []model.ExecCheck{pg("127.0.0.1", true, 0)}},
		"behind timeout":     {command: []string{"timeout", "-s", "KILL", "5s", "pg_isready", "-h", "db"}, want: []model.ExecCheck{pg("db", true, 4)}},
		"the kubelet's $()":  {command: []string{"pg_isready", "-h", "$(DB)"}, env: []model.EnvVar{env("DB", "db.prod")}, want: []model.ExecCheck{pg("db.prod", true, 0)}},
		"escaped $$()":       {command: []string{"sh", "-c", "pg_isready -h $$(hostname)"}, want: []model.ExecCheck{pg("", true, 2)}},
		"a Secret":           {command: []string{"pg_isready", "-h", "$(DB)"}, env: []model.EnvVar{{Name: "DB", From: "secret db"}}, want: []model.ExecCheck{pg("", true, 0)}},
		"no shell, no $":     {command: []string{"echo", "$DB"}},
		"environment":        {command: []string{"pg_isready"}, env: []model.EnvVar{env("PGHOST", "db")}, want: []model.ExecCheck{pg("db", true, 0)}},
		"script":             {command: []string{"sh", "-c", "pg_isready -h db"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"script, variable":   {command: []string{"/bin/sh", "-ec", `pg_isready -h "$DB"`}, env: []model.EnvVar{env("DB", "db")}, want: []model.ExecCheck{pg("db", true, 2)}},
		"script, not known":  {command: []string{"sh", "-c", `pg_isready -h $DB`}, want: []model.ExecCheck{pg("", true, 2)}},
		"script, own name":   {command: []string{"sh", "-c", `pg_isready -h $(hostname -f)`}, want: []model.ExecCheck{pg("", true, 2)}},
		"script, assigned":   {command: []string{"sh", "-c", "H=db; pg_isready -h $H"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"or true":            {command: []string{"sh", "-c", "pg_isready -h db || true"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"or exit 1":          {command: []string{"sh", "-c", "pg_isready -h db || exit 1"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"or exit 0":          {command: []string{"sh", "-c", "pg_isready -h db || exit 0"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not the last":       {command: []string{"sh", "-c", "pg_isready -h db; true"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not the last, -e":   {command: []string{"sh", "-ec", "pg_isready -h db; true"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"set -e":             {command: []string{"sh", "-c", "set -e\npg_isready -h db\necho ok"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"exit $?":            {command: []string{"sh", "-c", "pg_isready -h db; exit $?"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"and":                {command: []string{"sh", "-c", "test -f /ok && pg_isready -h db"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"pipe to grep":       {command: []string{"sh", "-c", "pg_isready -h db | grep -q accepting"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"pipe to cat":        {command: []string{"sh", "-c", "pg_isready -h db | cat"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"pipefail":           {command: []string{"bash", "-c", "set -o pipefail; pg_isready -h db | cat"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"background":         {command: []string{"sh", "-c", "pg_isready -h db &"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"if, exit":           {command: []string{"sh", "-c", "if ! pg_isready -h db; then exit 1; fi"}, want: []model.ExecCheck{pg("db", true, 2)}},
		"if, echo":           {command: []string{"sh", "-c", "if pg_isready -h db; then echo up; fi"}, want: []model.ExecCheck{pg("db", false, 2)}},
		"test of output":     {command: []string{"sh", "-c", `[ "$(pg_isready -h db)" = ok ]`}, want: []model.ExecCheck{pg("db", true, 2)}},
		"echo of output":     {command: []string{"sh", "-c", `echo $(pg_isready -h db)`}, want: []model.ExecCheck{pg("db", false, 2)}},
		"not parsable":       {command: []string{"sh", "-c", "pg_isready -h db ||"}},
		"nothing":            {command: nil},
		"only sh":            {command: []string{"sh"}},
		"a script file":      {command: []string{"sh", "/probe.sh"}},
		"redis by URL":       {command: []string{"redis-cli", "-u", "redis://:s3cret@cache:6379/0", "ping"}, want: []model.ExecCheck{{Command: "redis-cli", Kind: "cache", Name: "Redis", Host: "cache", Remote: true, Decides: true}}},
		"curl, own port":     {command: []string{"curl", "-f", "http://localhost:8080/healthz"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "localhost", Decides: true}}},
		"curl elsewhere":     {command: []string{"curl", "-H", "Origin: http://here", "-fsS", "http://catalog/healthz"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "catalog", Remote: true, Decides: true}}},
		"curl, header value": {command: []string{"curl", "-H", "http://x", "localhost:80"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "localhost", Decides: true}}},
		"curl, path unknown": {command: []string{"sh", "-c", "curl -f http://catalog/$P"}, want: []model.ExecCheck{{Command: "curl", Kind: "http", Host: "catalog", Remote: true, Decides: true, Argument: 2}}},
		"nc":                 {command: []string{"nc", "-z", "-w", "1", "kafka", "9092"}, want: []model.ExecCheck{{Command: "nc", Kind: "tcp", Host: "kafka", Remote: true, Decides: true}}},
		"mysql joined":       {command: []string{"mysqladmin", "ping", "-hmysql.prod", "-uroot"}, want: []model.ExecCheck{{Command: "mysqladmin", Kind: "database", Name: "MySQL", Host: "mysql.prod", Remote: true, Decides: true}}},
		"one of a list":      {command: []string{"etcdctl", "--endpoints=https://127.0.0.1:2379,https://b:2379", "endpoint", "health"}, want: []model.ExecCheck{{Command: "etcdctl", Kind: "coordination", Name: "etcd", Host: "127.0.0.1", Decides: true}}},
		"rabbit node":        {command: []string{"rabbitmq-diagnostics", "-n", "rabbit@mq-0", "ping"}, want: []model.ExecCheck{{Command: "rabbitmq-diagnostics", Kind: "queue", Name: "RabbitMQ", Host: "mq-0", Remote: true, Decides: true}}},
		"kubectl":            {command: []string{"kubectl", "get", "nodes"}, want: []model.ExecCheck{{Command: "kubectl", Kind: "kubernetes", Name: "the API server", Host: "kubernetes.default", Remote: true, Decides: true}}},
		"two commands": {
			command: []string{"sh", "-c", "pg_isready -h db && redis-cli -h cache ping"},
			want:    []model.ExecCheck{pg("db", true, 2), {Command: "redis-cli", Kind: "cache", Name: "Redis", Host: "cache", Remote: true, Decides: true, Argument: 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &model.Probe{Kind: model.Exec, Target: model.Target{Command: c.command}}
			execprobe.Describe(p, &model.Container{Env: c.env})
			if diff := cmp.Diff(c.want, p.Exec); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.command, diff)
			}
		})
	}
}

// Whatever a manifest holds as a command, it is described without a panic, and what is described points into it.
func TestAnyCommand(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"sh", "-c", "-ec", "timeout", "5", "pg_isready", "-h", "curl", "http://a", "env", "$(A)", "|| true", "a=$(b", "${A:-x}", "exec", "set -e;", ""}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		p := &model.Probe{Kind: model.Exec, Target: model.Target{Command: rapid.SliceOfN(word, 0, 6).Draw(t, "command")}}
		execprobe.Describe(p, nil)
		for _, e := range p.Exec {
			if e.Argument < 0 || e.Argument >= len(p.Target.Command) {
				t.Fatalf("argument %d of %q", e.Argument, p.Target.Command)
			}
		}
	})
}

func TestOtherProbesHaveNone(t *testing.T) {
	p := &model.Probe{Kind: model.HTTPGet, Target: model.Target{Command: []string{"pg_isready"}}}
	execprobe.Describe(p, nil)
	if p.Exec != nil {
		t.Errorf("got %v", p.Exec)
	}
}

func command(t *testing.T, words ...string) *model.ExecCommand {
	t.Helper()
	p := &model.Probe{Kind: model.Exec, TimeoutSeconds: 5, Target: model.Target{Command: words}}
	execprobe.Describe(p, &model.Container{Env: []model.EnvVar{env("LIMIT", "7")}})
	if p.Command == nil {
		t.Fatalf("%q: no command", words)
	}
	return p.Command
}

// What a command comes to: why it cannot fail, or which program decides.
func TestAlways(t *testing.T) {
	for script, want := range map[string]string{
		"true":                               model.ExecConstant,
		"exit 0":                             model.ExecConstant,
		"exit 256":                           model.ExecConstant,
		"curl -f a || true":                  model.ExecOr,
		"curl -f a || { echo bad; true; }":   model.ExecOr,
		"a && b || :":                        model.ExecOr,
		"a; exit 0":                          model.ExecLast,
		"a\necho done":                       model.ExecLast,
		"a | tee /x":                         model.ExecPipe,
		"(a; exit 1) | cat":                  model.ExecPipe,
		"a &":                                model.ExecBackground,
		"pgrep -f daemon":                    model.ExecSelf,
		"ps aux | grep daemon":               model.ExecSelf,
		"sh -c 'a || true'":                  model.ExecOr,
		"sleep 2":                            model.ExecConstant,
		"if a; then echo b; else echo c; fi": model.ExecConstant,

		"a":                                     "",
		"sleep 9":                               "",
		"exit 1":                                "",
		"exit $X":                               "",
		"a || exit 1":                           "",
		"a || echo bad && exit 1":               "",
		"a; exit $?":                            "",
		"set -e; a; echo done":                  "",
		"set -o pipefail; a | cat":              "",
		"a | grep -q b":                         "",
		"cat /x | cat /y":                       "",
		"pgrep -x daemon":                       "",
		"ps aux | grep [d]aemon":                "",
		"ps aux | grep -v grep | grep x":        "",
		"! true":                                "",
		"eval $CHECK; true":                     "",
		"trap 'exit 1' EXIT; true":              "",
		"f() { exit 1; }; f; true":              "",
		"case $X in a) true;; b) exit 1;; esac": "",
		"while true; do a && exit 0; done":      "",
		"[ -f /x ]":                             "",
		"true < /x":                             "",
		"x=$(a)":                                "",
		"a ||":                                  "",
	} {
		got := ""
		if f := command(t, "sh", "-c", script).Always; f != nil {
			got = f.Kind
		}
		if got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func TestPrograms(t *testing.T) {
	bound := func(c *model.ExecCommand) (float64, bool) {
		for _, p := range c.Programs {
			if p.Bound != nil {
				return p.Bound.Seconds, p.Bound.Endless
			}
		}
		return -1, false
	}
	for _, c := range []struct {
		words   []string
		seconds float64
		endless bool
	}{
		{[]string{"curl", "a"}, 0, true},
		{[]string{"curl", "-m", "$(LIMIT)", "a"}, 7, false},
		{[]string{"curl", "-fsm2", "a"}, 2, false},
		{[]string{"sh", "-c", "curl -m $LIMIT a"}, 7, false},
		{[]string{"sh", "-c", "curl -m $OTHER a"}, -1, false},
		{[]string{"sh", "-c", "-e", "timeout 3 redis-cli ping"}, 3, false},
		{[]string{"timeout", "3", "sh", "-c", "redis-cli ping"}, 3, false},
		{[]string{"pg_isready", "-t", "1"}, 2, false},
		{[]string{"pg_isready", "-t", "0"}, 0, true},
		{[]string{"cat", "/x"}, -1, false},
		{[]string{"kubectl", "version"}, -1, false},
	} {
		if s, e := bound(command(t, c.words...)); s != c.seconds || e != c.endless {
			t.Errorf("%q: %v %v, want %v %v", c.words, s, e, c.seconds, c.endless)
		}
	}
	c := command(t, "/bin/sh", "-ec", "exec pg_isready -h 127.0.0.1")
	if c.Shell != "sh" || len(c.Programs) != 2 || c.Programs[1].Name != "pg_isready" || c.Programs[1].Argument != 2 || !c.Programs[1].Decides {
		t.Errorf("%+v", c)
	}
	text := "timeout 2 curl -s http://localhost:8080/ || exit 1"
	c = command(t, "sh", "-c", text)
	if len(c.Lies) != 1 || text[:c.Lies[0].End] != "timeout 2 curl" {
		t.Errorf("%+v", c.Lies)
	}
}

// Whatever a hook holds as its command, it is described without a panic; the kubelet expands no name in it.
func TestHook(t *testing.T) {
	h := &model.PreStop{Kind: "exec", Command: []string{"sh", "-c", "sleep $(LIMIT)"}}
	execprobe.DescribeHook(h, nil)
	if h.Does == nil || h.Does.Shell != "sh" {
		t.Errorf("%+v", h.Does)
	}
	rapid.Check(t, func(t *rapid.T) {
		h := &model.PreStop{Kind: "exec", Command: rapid.SliceOf(rapid.String()).Draw(t, "command")}
		execprobe.DescribeHook(h, nil)
	})
}
