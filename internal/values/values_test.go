package values

import (
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func text(s string) model.Expr { return model.Expr{Const: &s} }

func env(name string) model.Expr { return model.Expr{Env: name} }

func alt(e ...model.Expr) model.Value { return model.Value{Alternatives: e} }

func known(name, value string) model.EnvVar {
	return model.EnvVar{Name: name, Value: value, Known: true}
}

func TestResolve(t *testing.T) {
	d8080 := text("8080")
	flagPort := model.Expr{Flag: "port,p", Default: &d8080}
	envPort := alt(env("PORT"), text("8080"))
	joined := alt(model.Expr{Parts: []model.Expr{text(":"), env("PORT")}}, text(":8080"))
	for _, tt := range []struct {
		name  string
		value model.Value
		c     model.Container
		want  string
		from  string
		ok    bool
	}{
		{"constant", alt(text(":8080")), model.Container{}, ":8080", FromConstant, true},
		{"unknown", model.Value{}, model.Container{}, "", "", false},
		{"env set", envPort, model.Container{Env: []model.EnvVar{known("PORT", "9000")}}, "9000", FromManifest, true},
		{"env unset", envPort, model.Container{}, "8080", FromDefault, true},
		{"env empty counts as unset", envPort, model.Container{Env: []model.EnvVar{known("PORT", "")}}, "8080", FromDefault, true},
		{"env from a secret", envPort, model.Container{Env: []model.EnvVar{{Name: "PORT", From: "secret x"}}}, "", "", false},
		{"the later entry wins", envPort, model.Container{Env: []model.EnvVar{known("PORT", "1"), known("PORT", "2")}}, "2", FromManifest, true},
		{"dockerfile", envPort, model.Container{Env: []model.EnvVar{{Name: "PORT", Value: "7000", Known: true, From: FromDockerfile}}}, "7000", FromDockerfile, true},
		{"manifest over dockerfile", envPort, model.Container{Env: []model.EnvVar{{Name: "PORT", Value: "7000", Known: true, From: FromDockerfile}, known("PORT", "7001")}}, "7001", FromManifest, true},
		{"concatenation", joined, model.Container{Env: []model.EnvVar{known("PORT", "9000")}}, ":9000", FromManifest, true},
		{"concatenation unset", joined, model.Container{}, ":8080", FromDefault, true},
		{"concatenation without a default", alt(model.Expr{Parts: []model.Expr{text(":"), env("PORT")}}), model.Container{}, ":", FromDefault, true},
		{"reference in env", envPort, model.Container{Env: []model.EnvVar{known("BASE", "80"), known("PORT", "$(BASE)80")}}, "8080", FromManifest, true},
		{"flag with =", alt(flagPort), model.Container{Args: []string{"--port=9000"}}, "9000", FromManifest, true},
		{"flag with a blank", alt(flagPort), model.Container{Args: []string{"serve", "--port", "9000"}}, "9000", FromManifest, true},
		{"short flag", alt(flagPort), model.Container{Command: []string{"/app", "-p", "9000"}}, "9000", FromManifest, true},
		{"flag with one dash", alt(flagPort), model.Container{Command: []string{"/app", "-port=9000"}}, "9000", FromManifest, true},
		{"flag absent", alt(flagPort), model.Container{Args: []string{"--other=1"}}, "8080", FromDefault, true},
		{"flag from env", alt(flagPort), model.Container{Env: []model.EnvVar{known("P", "9000")}, Args: []string{"--port=$(P)"}}, "9000", FromManifest, true},
		{"shell", alt(flagPort), model.Container{Env: []model.EnvVar{known("P", "9000")}, Command: []string{"/bin/sh", "-c", "exec /app --port=${P}"}}, "9000", FromManifest, true},
		{"shell default", alt(flagPort), model.Container{Command: []string{"sh", "-c", "/app --port ${P:-9001}"}}, "9001", FromManifest, true},
		{"two constants", alt(text(":1"), text(":2")), model.Container{}, "", "", false},
		{"the same constant twice", alt(text(":1"), text(":1")), model.Container{}, ":1", FromConstant, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, from, ok := Resolve(tt.value, Of(&tt.c))
			if v != tt.want || from != tt.from || ok != tt.ok {
				t.Errorf("got %q %q %v, want %q %q %v", v, from, ok, tt.want, tt.from, tt.ok)
			}
		})
	}
}

func TestCertain(t *testing.T) {
	v := alt(env("PORT"), text("8080"))
	for _, tt := range []struct {
		name string
		c    model.Container
		want bool
	}{
		{"nothing else", model.Container{}, true},
		{"envFrom of something unknown", model.Container{Env: []model.EnvVar{{Name: "*"}}}, false},
	} {
		if got := All(v, Of(&tt.c)); len(got) != 1 || got[0].Certain != tt.want || got[0].Value != "8080" {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
	opaque := model.Container{Command: []string{"sh", "-c", "/app $(cat flags)"}}
	if got := All(alt(model.Expr{Flag: "port", Default: ptr(text("8080"))}), Of(&opaque)); len(got) != 1 || got[0].Certain {
		t.Errorf("a script with a substitution: got %+v", got)
	}
}

func TestPartsThatAreUnknown(t *testing.T) {
	v := alt(model.Expr{Parts: []model.Expr{env("POD_IP"), text(":8080")}})
	c := model.Container{Env: []model.EnvVar{{Name: "POD_IP", From: "fieldRef status.podIP"}}}
	got := All(v, Of(&c))
	if len(got) != 1 || got[0].Value != Unknown+":8080" || got[0].Known() {
		t.Errorf("got %+v", got)
	}
	if _, _, ok := Resolve(v, Of(&c)); ok {
		t.Error("resolved though a part is unknown")
	}
}

func ptr(e model.Expr) *model.Expr { return &e }

func TestKeyTellsValuesApart(t *testing.T) {
	a := Of(&model.Container{Env: []model.EnvVar{known("A", "1"), known("B", "2")}})
	b := Of(&model.Container{Env: []model.EnvVar{known("B", "2"), known("A", "1")}})
	c := Of(&model.Container{Env: []model.EnvVar{known("A", "1"), known("B", "3")}})
	if a.Key() != b.Key() || a.Key() == c.Key() {
		t.Errorf("keys %q, %q, %q", a.Key(), b.Key(), c.Key())
	}
}

func TestOpenByPrefix(t *testing.T) {
	v := Of(&model.Container{Env: []model.EnvVar{{Name: "APP_*", From: "configMap absent"}}})
	if !v.Open("APP_PORT") || v.Open("PORT") {
		t.Errorf("open: APP_PORT %v, PORT %v", v.Open("APP_PORT"), v.Open("PORT"))
	}
}
