package mapreduce_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// wholeCSV returns the records that encoding/csv reads.
func wholeCSV(o CSVOptions, text []byte) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = cmp.Or(o.Comma, ','), o.Fields, o.TrimSpace
	return r.ReadAll()
}

// requireSameCSV checks that the records of all splits, and the first error, are what encoding/csv
// returns for the whole file.
func requireSameCSV(t require.TestingT, o CSVOptions, text []byte, w read.Windows, block int64) {
	want, wantErr := wholeCSV(o, text)
	got, err := recordsOf(t, fieldsOf(CSV(o, Bytes("f.csv", text))), w, block)
	if wantErr == nil {
		require.NoError(t, err)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
		type record struct {
			fields []string
			text   string
		}
		texts := must(recordsOf(t, Decoded(CSV(o, Bytes("f.csv", text)), func(r CSVRecord) (record, error) {
			return record{slices.Clone(r.Fields), string(r.Text)}, nil
		}), w, block))(t)
		for i, rec := range texts {
			require.Equal(t, want[i], rec.fields)
			again := must(wholeCSV(o, []byte(rec.text+"\r\n")))(t)
			if rec.text != "" && rec.text != "\r" { // encoding/csv skips a line with one empty field
				require.Equal(t, want[i:i+1], again)
			}
		}
		require.Len(t, texts, len(want))
		return
	}
	bad, ok := errors.AsType[*csv.ParseError](wantErr)
	require.True(t, ok)
	if errors.Is(bad.Err, csv.ErrFieldCount) {
		require.ErrorContains(t, err, fmt.Sprintf("line %d: ", bad.Line))
		return
	}
	require.ErrorIs(t, err, bad.Err)
	require.ErrorContains(t, err, fmt.Sprintf("line %d, column %d", bad.Line, bad.Column))
}

// csvText draws a text of quotes, separators and letters, which is often a CSV file.
func csvText(t *rapid.T) []byte {
	pieces := rapid.SampledFrom([]string{`"`, `"`, `""`, ",", "\n", "\r\n", "\r", "#", "a", "é", " ", "\"a\n\",", "a,b\n"})
	text := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(t, "pieces"), "")
	if rapid.Bool().Draw(t, "mark") {
		text = "\ufeff" + text
	}
	return []byte(text)
}

// For any bytes, splits have the records that encoding/csv returns, and errors name the place.
func TestCSVIsReadAlikeHoweverItIsCut(t *testing.T) { rapid.Check(t, csvIsReadAlike) }

func FuzzCSV(f *testing.F) { f.Fuzz(rapid.MakeFuzz(csvIsReadAlike)) }

func csvIsReadAlike(t *rapid.T) {
	text := csvText(t)
	o := CSVOptions{TrimSpace: rapid.Bool().Draw(t, "trim")}
	w := tiny(rapid.IntRange(1, 40).Draw(t, "run"), rapid.IntRange(1, 20).Draw(t, "crossing"), rapid.IntRange(1, 80).Draw(t, "span"))
	for block := int64(1); block <= int64(len(text))+1; block++ {
		requireSameCSV(t, o, text, w, block)
	}
}

func TestCSVOfEverySource(t *testing.T) {
	text := "k,v\n\"a\nb\",1\nc,\"2,\"\"3\"\"\"\n\nd,4\n"
	want := [][]string{{"a\nb", "1"}, {"c", `2,"3"`}, {"d", "4"}}
	o := CSVOptions{Header: true}
	requireEverywhere(t, want, func() Input[[]string] { return fieldsOf(CSV(o, Bytes("t.csv", []byte(text)))) }, 1, 4, 11, 100)
	requireEverywhere(t, want, func() Input[[]string] {
		return fieldsOf(CSV(o, must(Stored(Bytes("t.csv.gz", packed(t, Gzip, text)).Data))(t)))
	}, 5, 100)
	requireEverywhere(t, want, func() Input[[]string] { return fieldsOf(CSV(o, Stream("-", strings.NewReader(text)))) }, 1)
	requireEverywhere(t, slices.Concat(want, want), func() Input[[]string] {
		return fieldsOf(CSV(o, Bytes("a.csv", []byte(text)), Bytes("b.csv", []byte(text))).SplitSize(6))
	}, 100)
}

func TestCSVErrorsNameThePlace(t *testing.T) {
	head := "name,n\n\"a\n\",1\n"
	fail := func(o CSVOptions, rest string) string {
		text := []byte(head + rest)
		_, err := recordsOf(t, CSV(o, Bytes("f.csv", text)), read.UsualWindows(), int64(len(head)))
		require.Error(t, err)
		whole := failure(t, CSV(o, Bytes("f.csv", text)))
		require.EqualError(t, whole, firstMap+err.Error(), "wherever it is cut")
		return err.Error()
	}
	require.Equal(t, `f.csv: at byte 14, "b,\"2\"x": line 4, column 5: extraneous or missing " in quoted-field`,
		fail(CSVOptions{}, "b,\"2\"x\n"))
	require.Equal(t, `f.csv: at byte 19, "c,1,2": line 6: 3 fields, but the first record has 2`,
		fail(CSVOptions{Header: true}, "b,2\n\nc,1,2\nd,3\n"))
	require.Contains(t, fail(CSVOptions{}, "b,\"2\n\n"), "line 5, column 2 of a record that begins on line 4")
	require.Equal(t, `f.csv: header: line 1: 2 fields, not 3`, fail(CSVOptions{Header: true, Fields: 3}, ""))
}

func TestCSVOptionsAreChecked(t *testing.T) {
	for want, o := range map[string]CSVOptions{
		`CSVOptions: '"' cannot be Comma`:  {Comma: '"'},
		`CSVOptions: '\n' cannot be Comma`: {Comma: '\n'},
	} {
		_, err := passOn[[]string]().Bind(fieldsOf(CSV(o, Bytes("f", nil))), unread[[]string]())
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "csv_test.go:")
	}
}

type station struct {
	ID      uint16 `csv:"id"`
	Name    string
	Height  float64
	Open    bool
	Address netip.Addr
	_       int
	Note    string `csv:"-"`
}

func TestCSVRows(t *testing.T) {
	text := []byte("address,height, NAME,extra,id,Open\n::1,1.5,\"a\nb\",x,7,true\n,,c,,8,false\n")
	want := []station{
		{ID: 7, Name: "a\nb", Height: 1.5, Open: true, Address: netip.IPv6Loopback()},
		{ID: 8, Name: "c"},
	}
	for block := int64(1); block < int64(len(text))+2; block++ {
		got := must(recordsOf(t, CSVRows[station](CSVOptions{Header: true}, Bytes("s.csv", text)), tiny(3, 2, 7), block))(t)
		require.Equal(t, want, got)
	}
	requireEverywhere(t, []visit{{"a", 1}, {"b", 2}}, func() Input[visit] {
		return CSVRows[visit](CSVOptions{Comma: ';'}, Bytes("v", []byte("a;1\nb;2")))
	}, 1, 3, 10)
}

func TestCSVRowsTeach(t *testing.T) {
	rows := func(text string) error {
		return failure(t, CSVRows[visit](CSVOptions{Header: true}, Bytes("v.csv", []byte(text))))
	}
	require.EqualError(t, rows("name,count\na,1\n"), firstMap+`v.csv: no column "n", but ["name" "count"]`)
	require.EqualError(t, rows("name,n\na,1\nbob,1x\n"),
		firstMap+`v.csv: at byte 11, "bob,1x": line 3, column 5: n "1x": invalid syntax`)
	require.ErrorContains(t, rows("name,n\na,99999999999999999999\n"), "value out of range")
	bind := func(in interface{ bind() error }) error { return in.bind() }
	require.ErrorContains(t, bind(rowsOf[int]{}), "CSVRows of int: rows are structs")
	require.ErrorContains(t, bind(rowsOf[struct{ A []int }]{}), "field A: unsupported type []int: give it UnmarshalText")
	require.ErrorContains(t, bind(rowsOf[struct{ a int }]{}), "it has no exported fields")
}

type rowsOf[T any] struct{}

func (rowsOf[T]) bind() error {
	job := MapOnly[T, int]{Map: func(T, func(int)) error { return nil }}
	_, err := job.Bind(CSVRows[T](CSVOptions{}, Bytes("v", nil)), unread[int]())
	return err
}

// fieldsOf yields the fields of records.
func fieldsOf(in Input[CSVRecord]) Input[[]string] {
	return Decoded(in, func(r CSVRecord) ([]string, error) { return slices.Clone(r.Fields), nil })
}
