package manifest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/model"
)

// The value of key `a` is marked by « and » in each text.
func TestValueSpan(t *testing.T) {
	tests := []struct{ name, text string }{
		{"plain", "a: «x y» # comment\nb: 1"},
		{"plain at the end of the file", "a: «x»"},
		{"plain with CRLF", "a: «x»\r\nb: 1\r\n"},
		{"plain of two lines", "a: «x\n  y\n\n  z»\nb: 1"},
		{"plain with a hash", "a: «x#y» #z\nb: 1"},
		{"number", "a: «0x1F»\nb: 1"},
		{"in a flow mapping", "{b: 1, a: «x» , c: 2}"},
		{"in a flow mapping at its end", "{b: 1, a: «x y»}"},
		{"single quotes", "a: «'it''s # 1'» # comment\nb: 1"},
		{"double quotes", "a: «\"a \\\" b\"» \nb: 1"},
		{"double quotes of two lines", "a: «\"x\n  y\"»\nb: 1"},
		{"literal", "a: «|\n  x\n\n  y»\nb: 1"},
		{"literal, chomped", "a: «|-\n  x\n   y»\n\n# comment\nb: 1"},
		{"literal with an indicator", "a: «|2\n    x\n  y»\nb: 1"},
		{"literal with a comment", "a: «| # why\n  x»\nb: 1"},
		{"literal in a sequence", "l:\n- a: «|\n    x\n    y»\n  b: 1"},
		{"folded", "a: «>\n  x\n  y»\nb: 1"},
		{"empty literal", "a: «|»\nb: 1"},
		{"literal at the end of a document", "a: «|\n  x»\n"},
		{"anchor", "a: &n «x»\nb: 1"},
		{"tag", "a: !!str «5»\nb: 1"},
		{"anchor and tag on another line", "a: &n\n  !!str «5»\nb: 1"},
		{"alias", "c: &n x\na: «*n»\nb: 1"},
		{"block mapping", "a:\n  «x: 1\n  y: 2» # c\nb: 1"},
		{"block mapping with an empty last value", "a:\n  «x: 1\n  y:»\nb: 1"},
		{"block sequence", "a:\n  «- x\n  - y: 1»\nb: 1"},
		{"sequence at the indentation of its key", "a:\n«- x\n- y»\nb: 1"},
		{"flow mapping", "a: «{x: 1, y: [2, 3]}» # c\nb: 1"},
		{"flow mapping of several lines", "a: «{\n  x: 1, # }\n  y: 2,\n}»\nb: 1"},
		{"flow mapping with an empty last value", "a: «{x: 1, y: }»\nb: 1"},
		{"flow mapping with a bare key", "a: «{x, y}»\nb: 1"},
		{"empty flow mapping", "a: «{ }»\nb: 1"},
		{"empty flow sequence", "a: «[]»\nb: 1"},
		{"nested flow", "a: «[[1], {x: '}'}]»\nb: 1"},
		{"merge at the end", "c: &m {p: 1}\na:\n  «x: 1\n  <<: *m»\nb: 1"},
		{"repeated key", "a:\n  «x: 1\n  x: 2»\nb: 1"},
		{"code points before", "é: 1\na: «ü» # ö\nb: 1"},
		{"JSON", "{\"b\": 1, \"a\": «\"x\\\"y\"»}"},
		{"JSON object", "{\n\t\"a\": «{\"x\": [1, 2], \"y\": {}}»,\n\t\"b\": 1\n}"},
		{"explicit key", "? a\n: «x»\n? b\n: 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := strings.Index(tt.text, "«")
			end := strings.Index(tt.text, "»") - len("«")
			text := strings.NewReplacer("«", "", "»", "").Replace(tt.text)
			d, serr := parseText(t, text)
			if serr != nil {
				t.Fatal(serr)
			}
			root := d.root
			if l := items(root, "l"); l != nil {
				root = l[0]
			}
			for i := 0; i+1 < len(root.Content); i += 2 {
				k, v := root.Content[i], root.Content[i+1]
				if k.Value != "a" {
					continue
				}
				got := d.valueSpan(k, v)
				if got.Start != start || got.End != end {
					t.Errorf("span %q, want %q", text[got.Start:got.End], text[start:end])
				}
				if ks := d.keySpan(k); strings.Trim(text[ks.Start:ks.End], `"`) != "a" {
					t.Errorf("key is %q", text[ks.Start:ks.End])
				}
			}
		})
	}
}

func TestEmptyValueHasTheSpanOfItsKey(t *testing.T) {
	for _, text := range []string{"b: 1\na:\n", "b: 1\na: # comment\n", "{b: 1, a: }", "b: 1\na: &n\n"} {
		d, err := parseText(t, text)
		if err != nil {
			t.Fatal(err)
		}
		k, v := child(d.root, "a")
		if got := d.valueSpan(k, v); text[got.Start:got.End] != "a" {
			t.Errorf("%q: %q", text, text[got.Start:got.End])
		}
	}
}

// checkFields holds every field of a result against the text: its key reads as the last part of the path, and its value,
// parsed on its own, is a value of the same kind.
func checkFields(t interface{ Errorf(string, ...any) }, data []byte, fields model.Fields) {
	for path, f := range fields {
		for _, s := range []model.Span{f.Key, f.Value} {
			if s.Start < 0 || s.End < s.Start || s.End > len(data) {
				t.Errorf("%s: span %d to %d of %d bytes", path, s.Start, s.End, len(data))
				return
			}
		}
		if strings.HasSuffix(path, "]") {
			continue
		}
		text := string(data[f.Key.Start:f.Key.End])
		key := text
		switch {
		case !utf8.ValidString(text):
			continue // in JSON the API server reads U+FFFD
		case strings.HasPrefix(text, `"`), strings.HasPrefix(text, "'"):
			if err := yaml.Unmarshal([]byte(text), &key); err != nil {
				t.Errorf("%s: the key %q: %v", path, text, err)
			}
		case strings.HasPrefix(text, "*"), strings.HasPrefix(text, "|"), strings.HasPrefix(text, ">"), strings.ContainsAny(text, "\r\n\u0085\u2028\u2029"):
			continue // an alias, a block scalar, a key of several lines
		}
		if path != key && !strings.HasSuffix(path, "."+key) {
			t.Errorf("%s: the key reads %q", path, text)
		}
	}
}

// Values of all styles, at any depth, have spans that read as the value.
func TestSpansOfGeneratedText(t *testing.T) {
	word := rapid.StringMatching(`[a-zé][a-z0-9é ]{0,8}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{}
		var b strings.Builder
		var block func(indent int, path string)
		n := 0
		block = func(indent int, path string) {
			for range rapid.IntRange(1, 4).Draw(t, "keys") {
				n++
				key := fmt.Sprintf("k%d", n)
				at := strings.TrimPrefix(path+"."+key, ".")
				pad := strings.Repeat(" ", indent)
				b.WriteString(pad + key + ":")
				value := word.Draw(t, "value")
				style := rapid.IntRange(0, 6).Draw(t, "style")
				if indent > 10 && style == 6 {
					style = 0
				}
				switch style {
				case 0:
					b.WriteString(" " + value + " # c\n")
				case 1:
					b.WriteString(" '" + value + "''x'\n")
					value += "'x"
				case 2:
					b.WriteString(" \"" + value + "\\n\" \n")
					value += "\n"
				case 3:
					b.WriteString(" |\n" + pad + "  " + value + "\n" + pad + "   " + value + "\n\n")
					value += "\n " + value + "\n"
				case 4:
					b.WriteString(" >-\n" + pad + "  " + value + "\n" + pad + "  " + value + "\n")
					value += " " + value
				case 5:
					b.WriteString(" " + value + "\n" + pad + "  " + value + "\n")
					value += " " + value
				case 6:
					b.WriteString("\n")
					block(indent+2, at)
					continue
				}
				want[at] = value
			}
		}
		block(0, "")
		text := b.String()
		if rapid.Bool().Draw(t, "CRLF") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		d, serr := parseText2(text)
		if serr != nil {
			t.Fatalf("%v in %q", serr, text)
		}
		fields := model.Fields{}
		d.probeFields(fields, d.root)
		checkFields(t, d.file.Data, fields)
		for path, value := range want {
			at, ok := fields[path]
			if !ok {
				if strings.Count(path, ".") < fieldDepth {
					t.Fatalf("no field %s in %q", path, text)
				}
				continue
			}
			var got string
			src := text[at.Value.Start:at.Value.End]
			if strings.HasPrefix(src, "|") {
				src += "\n" // the span ends before the line end
			}
			if err := yaml.Unmarshal([]byte("x: "+src), &struct{ X *string }{&got}); err != nil || got != value {
				t.Fatalf("%s: %q reads as %q (%v), want %q", path, src, got, err, value)
			}
		}
	})
}
