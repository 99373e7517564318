package render

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// errReadOnly is the answer to every write.
var errReadOnly = errors.New("the repository is only read")

// jail is the part of the disk that kustomize sees: the files below the root, read only, with each kustomization cleaned of
// what would leave the root, reach the network or run a program.
type jail struct {
	root string // a real path
	// overlay is text that stands for that of files on disk, by path relative to the root.
	overlay map[string][]byte
	most    int64 // bytes of one file
	clean   func(dir string, raw []byte) ([]byte, error)
	read    map[string]bool // real paths of the files that were read
	// whole: schemas are left in. shrunk: some were taken out.
	whole, shrunk bool
	// mark adds to the text of a resource where it comes from, false where it cannot. tracked: kustomize itself is asked for
	// that. unmarked: it has to be.
	mark              func(real string, raw []byte) ([]byte, bool)
	tracked, unmarked bool
	// answers are what was asked of the disk and what it said, nil where nobody wants to know. untold: something was asked that is
	// not among them. state tells one reading of a kustomization from another.
	answers map[question]string
	untold  bool
	state   func(dir string) string
}

// question is one that kustomize asks of the disk: about the text of a file (text), or else about what a name stands for.
type question struct {
	Text bool
	Name string
}

// note remembers an answer.
func (j *jail) note(q question, answer string) {
	if j.answers != nil {
		j.answers[q] = answer
	}
}

// look is the answer to a question.
func (j *jail) look(q question) string {
	if q.Text {
		real, raw, err := j.text(q.Name)
		return j.textAnswer(real, raw, err)
	}
	_, answer := j.stat(q.Name)
	return answer
}

// stat is the real path of a name, and what is to be said of it.
func (j *jail) stat(name string) (real, answer string) {
	real, err := j.real(name)
	if err != nil {
		return "", "! " + err.Error()
	}
	info, err := os.Stat(real)
	if err == nil && info.IsDir() {
		return real, "d " + real
	}
	return real, "f " + real
}

func (j *jail) textAnswer(real string, raw []byte, err error) string {
	switch {
	case err != nil:
		return "! " + err.Error()
	case isKustomization(filepath.Base(real)):
		return fmt.Sprintf("%x %s %s", sha256.Sum256(raw), real, j.state(filepath.Dir(real)))
	}
	return fmt.Sprintf("%x %s", sha256.Sum256(raw), real)
}

// real is the real path of a name where it lies below the root.
func (j *jail) real(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	if real != abs {
		j.unmarked = true // kustomize names the path by which it came here
	}
	if real != j.root && !strings.HasPrefix(real, strings.TrimSuffix(j.root, string(filepath.Separator))+string(filepath.Separator)) {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("outside of the repository")}
	}
	return real, nil
}

func (j *jail) Create(string) (filesys.File, error) { return nil, errReadOnly }
func (j *jail) Mkdir(string) error                  { return errReadOnly }
func (j *jail) MkdirAll(string) error               { return errReadOnly }
func (j *jail) RemoveAll(string) error              { return errReadOnly }
func (j *jail) WriteFile(string, []byte) error      { return errReadOnly }

func (j *jail) Open(name string) (filesys.File, error) {
	j.untold = true
	real, err := j.real(name)
	if err != nil {
		return nil, err
	}
	return os.Open(real)
}

func (j *jail) IsDir(name string) bool {
	_, answer := j.stat(name)
	j.note(question{Name: name}, answer)
	return strings.HasPrefix(answer, "d ")
}

func (j *jail) Exists(name string) bool {
	_, answer := j.stat(name)
	j.note(question{Name: name}, answer)
	return !strings.HasPrefix(answer, "! ")
}

func (j *jail) ReadDir(name string) ([]string, error) {
	j.untold = true
	real, err := j.real(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Name()
	}
	return out, nil
}

func (j *jail) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	real, err := j.real(name)
	if err != nil {
		j.note(question{Name: name}, "! "+err.Error())
		return "", "", err
	}
	if j.IsDir(name) {
		return filesys.ConfirmedDir(real), "", nil
	}
	return filesys.ConfirmedDir(filepath.Dir(real)), filepath.Base(real), nil
}

func (j *jail) Glob(pattern string) ([]string, error) {
	j.untold = true
	all, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range all {
		if j.Exists(name) {
			out = append(out, name)
		}
	}
	if filesys.IsHiddenFilePath(pattern) {
		return out, nil
	}
	return filesys.RemoveHiddenFiles(out), nil
}

// text is a file as it lies on disk, or what stands for it, with its real path.
func (j *jail) text(name string) (real string, raw []byte, err error) {
	real, err = j.real(name)
	if err != nil {
		return "", nil, err
	}
	if raw, ok := j.overlaid(real); ok {
		if int64(len(raw)) > j.most {
			return "", nil, j.large(name)
		}
		return real, raw, nil
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("no regular file")}
	}
	if info.Size() > j.most {
		return "", nil, j.large(name)
	}
	raw, err = os.ReadFile(real)
	return real, raw, err
}

func (j *jail) large(name string) error {
	return fmt.Errorf("%s is larger than %d MiB", filepath.Base(name), j.most>>20)
}

// overlaid is the text that stands for the file of a real path.
func (j *jail) overlaid(real string) ([]byte, bool) {
	if len(j.overlay) == 0 {
		return nil, false
	}
	rel, err := filepath.Rel(j.root, real)
	if err != nil {
		return nil, false
	}
	raw, ok := j.overlay[filepath.ToSlash(rel)]
	return raw, ok
}

func (j *jail) ReadFile(name string) ([]byte, error) {
	real, raw, err := j.text(name)
	if j.answers != nil {
		j.note(question{true, name}, j.textAnswer(real, raw, err))
	}
	if err != nil {
		return nil, err
	}
	j.read[real] = true
	if isKustomization(filepath.Base(real)) {
		return j.clean(filepath.Dir(real), raw)
	}
	if !j.tracked {
		marked, ok := j.mark(real, raw)
		j.unmarked = j.unmarked || !ok
		raw = marked
	}
	if !j.whole {
		small, ok := shrink(raw)
		j.shrunk = j.shrunk || ok
		return small, nil
	}
	return raw, nil
}

func (j *jail) Walk(name string, fn filepath.WalkFunc) error {
	j.untold = true
	real, err := j.real(name)
	if err != nil {
		return err
	}
	return filepath.Walk(real, fn)
}

// isKustomization reports whether kustomize takes a file of this name for a kustomization.
func isKustomization(base string) bool {
	return base == "kustomization.yaml" || base == "kustomization.yml" || base == "Kustomization"
}
