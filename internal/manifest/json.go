package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/source"
)

// jsonParser makes YAML nodes of text that json.Valid accepts. JSON is read by its own rules because YAML refuses some of
// it: escaped surrogate pairs, keys longer than 1024 characters.
type jsonParser struct {
	data []byte // of the whole file
	i    int
	// line and column of offset at, which only grows.
	at, line, column int
}

// jsonValues are the values of a text that is JSON, one after another as `kubectl` takes them, or nil where it is not.
func jsonValues(text []byte) []piece {
	c := bytes.TrimLeft(text, " \t\r\n")
	if len(c) == 0 || c[0] != '{' && c[0] != '[' {
		return nil
	}
	if json.Valid(text) {
		return []piece{{0, len(text)}}
	}
	var out []piece
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		start := int(dec.InputOffset())
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.EOF) && len(out) > 1:
			return out
		case err != nil:
			return nil
		}
		out = append(out, piece{start, int(dec.InputOffset())})
	}
}

// parseJSON reads one value. Lines are counted from the given line of the file.
func parseJSON(file *source.File, p piece, from int) (*yaml.Node, *syntaxError) {
	line, column := file.Position(p.start)
	j := &jsonParser{data: file.Data[:p.end], i: p.start, at: p.start, line: line - from + 1, column: column}
	return j.value(1)
}

func (j *jsonParser) space() {
	for j.i < len(j.data) && (j.data[j.i] == ' ' || j.data[j.i] == '\t' || j.data[j.i] == '\n' || j.data[j.i] == '\r') {
		j.i++
	}
}

// node makes a node that begins at the present offset.
func (j *jsonParser) node(kind yaml.Kind, tag string, style yaml.Style) *yaml.Node {
	for j.at < j.i {
		switch c := j.data[j.at]; {
		case c == '\n' || c == '\r' && (j.at+1 >= len(j.data) || j.data[j.at+1] != '\n'):
			j.line, j.column = j.line+1, 1
			j.at++
		case c < utf8.RuneSelf:
			j.at++
			j.column++
		default:
			_, n := utf8.DecodeRune(j.data[j.at:])
			j.at += n
			j.column++
		}
	}
	return &yaml.Node{Kind: kind, Tag: tag, Style: style, Line: j.line, Column: j.column}
}

func (j *jsonParser) value(depth int) (*yaml.Node, *syntaxError) {
	j.space()
	if depth > maxDepth {
		return nil, &syntaxError{j.i, fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	switch c := j.data[j.i]; c {
	case '{', '[':
		n := j.node(yaml.MappingNode, "!!map", yaml.FlowStyle)
		if c == '[' {
			n = j.node(yaml.SequenceNode, "!!seq", yaml.FlowStyle)
		}
		return n, j.members(n, depth)
	case '"':
		n := j.node(yaml.ScalarNode, "!!str", yaml.DoubleQuotedStyle)
		n.Value = j.str()
		return n, nil
	}
	n := j.node(yaml.ScalarNode, "", 0)
	start := j.i
	for j.i < len(j.data) && !isJSONEnd(j.data[j.i]) {
		j.i++
	}
	n.Value = string(j.data[start:j.i])
	switch n.Value[0] {
	case 't', 'f':
		n.Tag = "!!bool"
	case 'n':
		n.Tag = "!!null"
	default:
		n.Tag = "!!float"
		if _, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			n.Tag = "!!int"
		}
	}
	return n, nil
}

func isJSONEnd(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\n' || c == '\r'
}

// members reads what stands between the brackets of n.
func (j *jsonParser) members(n *yaml.Node, depth int) *syntaxError {
	j.i++
	for {
		j.space()
		switch j.data[j.i] {
		case '}', ']':
			j.i++
			return nil
		case ',':
			j.i++
			continue
		}
		if n.Kind == yaml.MappingNode {
			k := j.node(yaml.ScalarNode, "!!str", yaml.DoubleQuotedStyle)
			k.Value = j.str()
			n.Content = append(n.Content, k)
			j.space()
			j.i++ // the colon
		}
		v, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		n.Content = append(n.Content, v)
	}
}

func (j *jsonParser) str() string {
	start := j.i
	escaped := false
	for j.i++; j.data[j.i] != '"'; j.i++ {
		if j.data[j.i] == '\\' {
			escaped = true
			j.i++
		}
	}
	j.i++
	if !escaped {
		return string(j.data[start+1 : j.i-1])
	}
	var s string
	if err := json.Unmarshal(j.data[start:j.i], &s); err != nil {
		return string(j.data[start+1 : j.i-1])
	}
	return s
}
