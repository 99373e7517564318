// Package source keeps the bytes of the files of a run and converts byte offsets to lines and columns, which happens
// nowhere else. Bytes are kept inside the program; text and JSON show 1-based lines and 1-based columns in code points.
package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/model"
)

// File is one file of the run. Data is what offsets count in: the bytes on disk, or, where the file is UTF-16, its text in
// UTF-8 (Recoded is then true and no edits are offered).
type File struct {
	Path    string // slash-separated, relative to the root
	Data    []byte
	Recoded bool
	// Origin is set for a text that was rendered: the place in a file of the input that a range of it came from. Span asks it,
	// so that no span of such a text leaves this package.
	Origin func(start, end int) model.Span

	once  sync.Once
	lines []int // offset of the first byte of each line
	ascii bool  // every byte is below 0x80: columns are bytes

	mu    sync.Mutex
	marks map[int][]int // line -> offset of every markEvery-th code point, for long lines
}

// markEvery is the distance in code points between two remembered offsets of a long line. Without them a file of one long
// line (minified JSON) would cost a pass over that line for every position.
const markEvery = 512

// New makes a File from its bytes.
func New(path string, data []byte) *File { return &File{Path: path, Data: data} }

// index returns the offset of each line's first byte. LF, CRLF and a lone CR end a line, as in YAML.
func (f *File) index() []int {
	f.once.Do(func() {
		f.lines = make([]int, 1, len(f.Data)/32+2)
		f.ascii = true
		for i, c := range f.Data {
			switch {
			case c == '\n':
				f.lines = append(f.lines, i+1)
			case c == '\r':
				if i+1 >= len(f.Data) || f.Data[i+1] != '\n' {
					f.lines = append(f.lines, i+1)
				}
			case c >= utf8.RuneSelf:
				f.ascii = false
			}
		}
	})
	return f.lines
}

// Lines is the number of lines, at least 1.
func (f *File) Lines() int { return len(f.index()) }

// bom is the length of a UTF-8 byte order mark at the start of the file.
func (f *File) bom() int {
	if bytes.HasPrefix(f.Data, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// LineNumber is the 1-based line of a byte offset.
func (f *File) LineNumber(off int) int {
	l := f.index()
	return sort.Search(len(l), func(i int) bool { return l[i] > off })
}

// Position is the 1-based line and the 1-based column in code points of a byte offset. A byte order mark counts for no
// column. An offset beyond the end is taken as the end.
func (f *File) Position(off int) (line, column int) {
	off = max(0, min(off, len(f.Data)))
	line = f.LineNumber(off)
	start := f.index()[line-1]
	if line == 1 {
		start = min(f.bom(), off)
	}
	if f.ascii {
		return line, off - start + 1
	}
	column = 1
	if off-start > 4*markEvery {
		marks := f.marksOf(line)
		i := sort.Search(len(marks), func(i int) bool { return marks[i] > off }) - 1
		start, column = marks[i], i*markEvery+1
	}
	return line, utf8.RuneCount(f.Data[start:off]) + column
}

// marksOf returns the offset of every markEvery-th code point of a line, the first included.
func (f *File) marksOf(line int) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.marks[line]; m != nil {
		return m
	}
	off, end := f.index()[line-1], f.lineEnd(line)
	if line == 1 {
		off = min(f.bom(), end)
	}
	var m []int
	for n := 0; off < end || n == 0; n++ {
		if n%markEvery == 0 {
			m = append(m, off)
		}
		if off == end {
			break
		}
		_, size := utf8.DecodeRune(f.Data[off:end])
		off += size
	}
	if f.marks == nil {
		f.marks = map[int][]int{}
	}
	f.marks[line] = m
	return m
}

// Offset is the inverse of Position, for the positions of a YAML or Go parser that counts code points. Positions beyond
// the end of a line are taken as its end.
func (f *File) Offset(line, column int) int {
	l := f.index()
	if line < 1 {
		return 0
	}
	if line > len(l) {
		return len(f.Data)
	}
	off := l[line-1]
	if line == 1 {
		off = f.bom()
	}
	end := f.lineEnd(line)
	if f.ascii {
		return max(off, min(off+max(column, 1)-1, end))
	}
	at := 1
	if column > 4*markEvery {
		marks := f.marksOf(line)
		i := min((column-1)/markEvery, len(marks)-1)
		off, at = marks[i], i*markEvery+1
	}
	for i := at; i < column && off < end; i++ {
		_, n := utf8.DecodeRune(f.Data[off:])
		off += n
	}
	return off
}

func (f *File) lineEnd(line int) int {
	l := f.index()
	end := len(f.Data)
	if line < len(l) {
		end = l[line]
	}
	for end > l[line-1] && (f.Data[end-1] == '\n' || f.Data[end-1] == '\r') {
		end--
	}
	return end
}

// Line is the text of a 1-based line without its end, nil where there is no such line.
func (f *File) Line(n int) []byte {
	if n < 1 || n > f.Lines() {
		return nil
	}
	start := f.index()[n-1]
	if n == 1 {
		start = f.bom()
	}
	return f.Data[start:max(start, f.lineEnd(n))]
}

// Span makes a span of this file from byte offsets; of a rendered text, in the file that it came from.
func (f *File) Span(start, end int) model.Span {
	if f.Origin != nil {
		return f.Origin(start, end)
	}
	return model.Span{File: f.Path, Start: start, End: end, Line: f.LineNumber(start)}
}

// Set is the files of one run by path. It is safe for concurrent use.
type Set struct {
	// Root is the absolute directory that paths are relative to.
	Root string

	mu    sync.Mutex
	files map[string]*File
}

// NewSet makes an empty set over root, an absolute directory.
func NewSet(root string) *Set { return &Set{Root: root, files: map[string]*File{}} }

// Add puts a file into the set.
func (s *Set) Add(f *File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[f.Path] = f
}

// Loaded returns a file that a stage has put into the set, nil for any other.
func (s *Set) Loaded(path string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[path]
}

// Get returns a file of the set, reading it from disk where no stage has put it there. A path that is not below Root is
// read as it is.
func (s *Set) Get(path string) (*File, error) {
	s.mu.Lock()
	f := s.files[path]
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	name := filepath.FromSlash(path)
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.Root, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	f = Decode(path, data)
	s.Add(f)
	return f, nil
}

// Rel is the path of a file in this set: relative to Root and slash-separated. A file outside Root keeps its absolute path.
func (s *Set) Rel(name string) string {
	if r, err := filepath.Rel(s.Root, name); err == nil && r != ".." && !hasDotDot(r) {
		return filepath.ToSlash(r)
	}
	return filepath.ToSlash(name)
}

func hasDotDot(p string) bool { return len(p) > 2 && p[:2] == ".." && os.IsPathSeparator(p[2]) }

// FindRoot is the directory that paths in reports are relative to: the nearest directory with a `.git` at or above dir,
// else the working directory (DESIGN.md, "JSON").
func FindRoot(dir, workingDir string) string {
	for d := dir; ; {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		up := filepath.Dir(d)
		if up == d {
			return workingDir
		}
		d = up
	}
}
