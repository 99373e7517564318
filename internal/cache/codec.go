package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// errCorrupt is the answer to bytes that Marshal did not write.
var errCorrupt = errors.New("the bytes are no value of this type")

// Marshal writes plain data exactly: nil and empty differ, and so do a nil pointer and one to a zero value, which gob does
// not keep apart. Only exported fields are written. A type with an interface, function or channel in it is an error.
func Marshal(v any) ([]byte, error) {
	e := encoder{}
	if err := e.value(reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return e.buf, nil
}

// Unmarshal reads what Marshal wrote of a value of the same type into the variable that v points to.
func Unmarshal(data []byte, v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("reading into %T: a pointer is needed", v)
	}
	d := decoder{data: data}
	if err := d.value(p.Elem()); err != nil {
		return err
	}
	if len(d.data) > 0 {
		return errCorrupt
	}
	return nil
}

// maxDepth bounds pointers behind pointers. Data that leads back to itself cannot be kept.
const maxDepth = 200

type encoder struct {
	buf   []byte
	depth int
}

func (e *encoder) uint(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }

func (e *encoder) text(s string) {
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		e.uint(n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = binary.AppendVarint(e.buf, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.uint(math.Float64bits(v.Float()))
	case reflect.String:
		e.text(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			e.uint(0)
			return nil
		}
		if e.depth++; e.depth > maxDepth {
			return fmt.Errorf("writing a %s: it leads back to itself", v.Type())
		}
		e.uint(1)
		err := e.value(v.Elem())
		e.depth--
		return err
	case reflect.Slice:
		if v.IsNil() {
			e.uint(0)
			return nil
		}
		e.uint(uint64(v.Len()) + 1)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			e.buf = append(e.buf, v.Bytes()...)
			return nil
		}
		return e.elements(v)
	case reflect.Array:
		return e.elements(v)
	case reflect.Map:
		return e.mapping(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := e.value(v.Field(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("writing a %s: only plain data can be kept", v.Type())
	}
	return nil
}

func (e *encoder) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := e.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// mapping writes the entries in the order of the bytes of their keys, so that equal maps give equal bytes.
func (e *encoder) mapping(v reflect.Value) error {
	if v.IsNil() {
		e.uint(0)
		return nil
	}
	e.uint(uint64(v.Len()) + 1)
	type pair struct{ key, bytes string }
	var pairs []pair
	for it := v.MapRange(); it.Next(); {
		one := encoder{depth: e.depth}
		if err := one.value(it.Key()); err != nil {
			return err
		}
		key := string(one.buf)
		if err := one.value(it.Value()); err != nil {
			return err
		}
		pairs = append(pairs, pair{key, string(one.buf)})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	for _, p := range pairs {
		e.buf = append(e.buf, p.bytes...)
	}
	return nil
}

type decoder struct{ data []byte }

func (d *decoder) uint() (uint64, error) {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		return 0, errCorrupt
	}
	d.data = d.data[size:]
	return n, nil
}

// length is a number of elements, each of which takes a byte at least, unless it holds nothing at all.
func (d *decoder) length(n uint64, elem reflect.Type) (int, error) {
	if n > uint64(len(d.data)) && elem.Size() > 0 || n > 1<<30 {
		return 0, errCorrupt
	}
	return int(n), nil
}

func (d *decoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.data)
		if size <= 0 || v.OverflowInt(n) {
			return errCorrupt
		}
		d.data = d.data[size:]
		v.SetInt(n)
		return nil
	case reflect.Array:
		return d.elements(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := d.value(v.Field(i)); err != nil {
				return err
			}
		}
		return nil
	}
	n, err := d.uint()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		if n > 1 {
			return errCorrupt
		}
		v.SetBool(n == 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v.OverflowUint(n) {
			return errCorrupt
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.Float64frombits(n))
	case reflect.String:
		if n > uint64(len(d.data)) {
			return errCorrupt
		}
		v.SetString(string(d.data[:n]))
		d.data = d.data[n:]
	case reflect.Pointer:
		return d.pointer(n, v)
	case reflect.Slice, reflect.Map:
		if n == 0 {
			v.SetZero()
			return nil
		}
		return d.many(n-1, v)
	default:
		return fmt.Errorf("reading a %s: only plain data can be kept", v.Type())
	}
	return nil
}

func (d *decoder) pointer(n uint64, v reflect.Value) error {
	switch n {
	case 0:
		v.SetZero()
		return nil
	case 1:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	}
	return errCorrupt
}

func (d *decoder) many(n uint64, v reflect.Value) error {
	size, err := d.length(n, v.Type().Elem())
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), size, size))
		if v.Type().Elem().Kind() == reflect.Uint8 {
			d.data = d.data[copy(v.Bytes(), d.data):]
			return nil
		}
		return d.elements(v)
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), size))
	for range size {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := d.value(key); err != nil {
			return err
		}
		if err := d.value(elem); err != nil {
			return err
		}
		v.SetMapIndex(key, elem)
	}
	return nil
}

func (d *decoder) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := d.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}
