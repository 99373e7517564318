package cache

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

type inner struct {
	N    *int
	Text string
}

type sample struct {
	Nil, Empty, Full []string
	NilMap, Map      map[string]inner
	Zero, None       *int
	Floats           [2]float64
	Bytes            []byte
	Flag             bool
	Small            int8
	Big              uint64
	Deep             *inner
}

func value() sample {
	zero := 0
	return sample{
		Empty: []string{}, Full: []string{"a", ""}, Map: map[string]inner{"x": {Text: "y"}, "": {N: &zero}}, Zero: &zero,
		Floats: [2]float64{-1.5, math.Inf(1)}, Bytes: []byte{0, 255}, Flag: true, Small: -128, Big: math.MaxUint64, Deep: &inner{N: &zero, Text: "z"},
	}
}

func TestCodecKeepsNilAndEmptyApart(t *testing.T) {
	want := value()
	data, err := Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got sample
	if err := Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	again, err := Marshal(got)
	if err != nil || string(again) != string(data) {
		t.Errorf("two writings of one value differ: %v", err)
	}
	for n := range data {
		var cut sample
		if Unmarshal(data[:n], &cut) == nil {
			t.Errorf("%d of %d bytes were read", n, len(data))
		}
	}
	if !errors.Is(Unmarshal(append(data, 0), &got), errCorrupt) {
		t.Error("a byte too many was read")
	}
}

func TestCodecRefusesWhatItCannotKeep(t *testing.T) {
	type ring struct{ Next *ring }
	r := &ring{}
	r.Next = r
	for _, v := range []any{r, struct{ F func() }{func() {}}, struct{ E any }{1}, make(chan int)} {
		if _, err := Marshal(v); err == nil {
			t.Errorf("%T was written", v)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	data, err := Marshal(value())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) {
		var v sample
		_ = Unmarshal(data, &v)
	})
}

func TestEntries(t *testing.T) {
	d := Open(filepath.Join(t.TempDir(), "new", "folder"), "build 1", DefaultLimit)
	key := d.Key("a", "b")
	var got string
	if d.Get(key, &got) {
		t.Error("an empty cache has an entry")
	}
	if err := d.Put(key, "text"); err != nil {
		t.Fatal(err)
	}
	if !d.Get(key, &got) || got != "text" {
		t.Errorf("got %q", got)
	}
	if d.Key("ab") == d.Key("a", "b") || d.Key("a", "b") == Open("x", "build 2", 1).Key("a", "b") {
		t.Error("keys of different things are equal")
	}
	files, size, err := d.Clean()
	if err != nil || files != 1 || size == 0 || d.Get(key, &got) {
		t.Errorf("cleaned %d files, %d bytes, %v", files, size, err)
	}
}

func TestBrokenEntriesAreDropped(t *testing.T) {
	d := Open(t.TempDir(), "b", DefaultLimit)
	key := d.Key("k")
	breaks := map[string]func([]byte) []byte{
		"empty": func([]byte) []byte { return nil }, "cut": func(b []byte) []byte { return b[:len(b)-1] },
		"flipped":       func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"other version": func(b []byte) []byte { return append([]byte("probelint cache 0\n"), b[len(magic):]...) },
		"longer":        func(b []byte) []byte { return append(b, 0) },
	}
	for name, change := range breaks {
		if err := d.Put(key, []string{"x"}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(d.file(key))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.file(key), change(data), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []string
		if d.Get(key, &got) {
			t.Errorf("%s: was read as %q", name, got)
		}
		if _, err := os.Stat(d.file(key)); err == nil {
			t.Errorf("%s: is still there", name)
		}
	}
	if err := d.Put(key, []string{"x"}); err != nil {
		t.Fatal(err)
	}
	var other int
	if d.Get(key, &other) {
		t.Error("an entry of another type was read")
	}
}

func TestAPlaceThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := Open(filepath.Join(file, "below"), "b", DefaultLimit)
	if err := d.Put(d.Key("k"), 1); err == nil || !strings.HasPrefix(err.Error(), "keeping a result: ") {
		t.Errorf("got %v", err)
	}
	var n int
	if d.Get(d.Key("k"), &n) {
		t.Error("something was kept")
	}
	var none *Dir
	if none.Put(none.Key("k"), 1) != nil || none.Get(none.Key("k"), &n) {
		t.Error("no cache is none that fails")
	}
}

func TestTheLongestUnusedGoesFirst(t *testing.T) {
	d := Open(t.TempDir(), "b", 2500)
	text := strings.Repeat("x", 1000)
	for i, name := range []string{"old", "used", "new"} {
		if err := d.Put(d.Key(name), text); err != nil {
			t.Fatal(err)
		}
		if name != "new" {
			at := time.Now().Add(time.Duration(i-10) * time.Minute)
			if err := os.Chtimes(d.file(d.Key(name)), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got string
	for name, want := range map[string]bool{"old": false, "used": true, "new": true} {
		if d.Get(d.Key(name), &got) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
	if d.Put(d.Key("huge"), strings.Repeat("x", 3000)) != nil || d.Get(d.Key("huge"), &got) || !d.Get(d.Key("new"), &got) {
		t.Error("what is larger than the cache pushed the rest out")
	}
}

func TestManyRunsShareOne(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d := Open(dir, "b", 20_000)
			for i := range 50 {
				key := d.Key(string(rune('a' + i%7)))
				want := strings.Repeat(key, 20)
				if err := d.Put(key, want); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
				var got string
				if d.Get(key, &got) && got != want {
					t.Error("an entry was read in part")
				}
			}
		})
	}
	wg.Wait()
}

func TestDefaultPath(t *testing.T) {
	for value, want := range map[string]string{"off": "", "/somewhere": "/somewhere"} {
		if got := DefaultPath(func(string) string { return value }); got != want {
			t.Errorf("%q: %q", value, got)
		}
	}
}
