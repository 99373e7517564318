package render

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
)

// kept is what the builds of earlier runs printed. A build holds as long as every question that it asked of the disk has the
// answer that it had: the text of each file, what each name stands for, and what is not there.
type kept struct {
	dir     *cache.Dir // nil: in memory alone
	key     string
	tree    string               // whose builds they are
	passing bool                 // this run is over texts that are not on disk
	builds  map[string]keptBuild // by folder
	changed bool
	// looked are the answers of this run; builds share most of their questions.
	looked map[question]string
}

// keptBuild is one build of a kustomization.
type keptBuild struct {
	Questions []question
	Answers   []string
	Read      []string // real paths of the files that were read
	Error     string   // it failed
	Files     []keptFile
}

// keptFile is one printed object. Spots are six numbers each: start and end in the text, the index of a file, start, end and line
// in that file.
type keptFile struct {
	Path, Text string
	Whole      model.Span
	Files      []string
	Spots      []int
}

// mostKept bounds the builds that are kept of one tree.
const mostKept = 4000

// openKept opens what is kept for a tree, in memory or on disk. nil keeps nothing. What comes of an overlay stays in memory.
func openKept(dir *cache.Dir, in manifest.RenderInput) *kept {
	if in.Keep == nil && (dir == nil || len(in.Overlay) > 0) {
		return nil
	}
	tree := fmt.Sprintf("%q %d", in.Set.Root, in.MaxBytes)
	if in.Keep != nil {
		if k, ok := in.Keep.Renderer.(*kept); ok && k.tree == tree {
			k.looked, k.passing = map[question]string{}, len(in.Overlay) > 0
			return k
		}
	}
	k := &kept{dir: dir, tree: tree, passing: len(in.Overlay) > 0, looked: map[question]string{}}
	if dir != nil {
		k.key = dir.Key("kustomizations", in.Set.Root, fmt.Sprint(in.MaxBytes))
		dir.Get(k.key, &k.builds)
	}
	if k.builds == nil {
		k.builds = map[string]keptBuild{}
	}
	if in.Keep != nil {
		in.Keep.Renderer = k
	}
	return k
}

// save writes what is new. What cannot be written is not kept.
func (k *kept) save(ctx context.Context) {
	if k != nil && k.dir != nil && k.changed && !k.passing && ctx.Err() == nil {
		_ = k.dir.Put(k.key, k.builds)
		k.changed = false
	}
}

// files are what a build prints, from an earlier run where that still holds.
func (k *kept) files(ks *kustomizations, of *kustomization, build func() ([]*made, error)) ([]*made, error) {
	if k == nil {
		return build()
	}
	if b, ok := k.builds[of.dir]; ok && k.holds(ks.jail, &b) {
		ks.jail.read = map[string]bool{}
		for _, name := range b.Read {
			ks.jail.read[name] = true
		}
		if b.Error != "" {
			return nil, errors.New(b.Error)
		}
		return b.printed(), nil
	}
	ks.jail.answers, ks.jail.untold = map[question]string{}, false
	files, err := build()
	answers, untold := ks.jail.answers, ks.jail.untold
	ks.jail.answers = nil
	if untold || errors.Is(err, errSlow) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || !ks.agrees(answers) {
		return files, err
	}
	b := keptBuild{Read: sortedKeys(ks.jail.read)}
	for q := range answers {
		b.Questions = append(b.Questions, q)
	}
	slices.SortFunc(b.Questions, func(x, y question) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), -cmp.Compare(fmt.Sprint(x.Text), fmt.Sprint(y.Text)))
	})
	for _, q := range b.Questions {
		b.Answers = append(b.Answers, answers[q])
	}
	if err != nil {
		b.Error = err.Error()
	}
	for _, f := range files {
		b.Files = append(b.Files, f.keep())
	}
	if len(k.builds) >= mostKept {
		clear(k.builds)
	}
	k.builds[of.dir], k.changed = b, true
	return files, err
}

// holds reports whether all questions of a build have the answers that they had.
func (k *kept) holds(j *jail, b *keptBuild) bool {
	if len(b.Questions) == 0 || len(b.Questions) != len(b.Answers) {
		return false
	}
	for i, q := range b.Questions {
		now, ok := k.looked[q]
		if !ok {
			now = j.look(q)
			k.looked[q] = now
		}
		if now != b.Answers[i] {
			return false
		}
	}
	return true
}

// agrees reports whether what kustomize read is what the run has read for the places of its parts: a file can change between.
func (ks *kustomizations) agrees(answers map[question]string) bool {
	for q, answer := range answers {
		if !q.Text {
			continue
		}
		real, err := ks.jail.real(q.Name)
		if err != nil {
			continue
		}
		if f := ks.set.Loaded(ks.rel(real)); f != nil && !strings.HasPrefix(answer, fmt.Sprintf("%x", sha256.Sum256(f.Data))) {
			return false
		}
	}
	return true
}

func (f *made) keep() keptFile {
	out := keptFile{Path: f.path, Text: string(f.text), Whole: f.places.whole}
	index := map[string]int{}
	for _, s := range f.places.spots {
		i, ok := index[s.to.File]
		if !ok {
			i = len(out.Files)
			index[s.to.File] = i
			out.Files = append(out.Files, s.to.File)
		}
		out.Spots = append(out.Spots, s.start, s.end, i, s.to.Start, s.to.End, s.to.Line)
	}
	return out
}

func (b *keptBuild) printed() []*made {
	out := make([]*made, 0, len(b.Files))
	for _, f := range b.Files {
		p := &places{whole: f.Whole, spots: make([]spot, 0, len(f.Spots)/6)}
		for s := range slices.Chunk(f.Spots, 6) {
			p.spots = append(p.spots, spot{s[0], s[1], model.Span{File: f.Files[s[2]], Start: s[3], End: s[4], Line: s[5]}})
		}
		out = append(out, &made{f.Path, []byte(f.Text), p})
	}
	return out
}
