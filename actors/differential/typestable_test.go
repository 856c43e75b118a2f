//go:build !race

package differential

// typesTable returns the tested pairs of types. For each kind of key and value in it the engine has
// its own code: for keys strings, byte slices, integers of 4 and 8 bytes, and composites; for
// values numbers, texts, lists, structs, empty and marshaled ones. A pair compiles in 1 to 2 s.
func typesTable() []types {
	return []types{
		of(strs(), intValues[int64]("int64")), of(strs(), floatValues[float64]("float64")), passing(strs(), stringValues()),
		of(strs(), byteValues()), of(strs(), wordLists()), of(strs(), means()), of(strs(), summaries()), of(strs(), sets()),

		of(byteKeys(), intValues[int32]("int32")), of(byteKeys(), byteValues()), of(byteKeys(), textLists()), of(byteKeys(), noneValues()),

		of(intKeys[int32]("int32"), intValues[int64]("int64")), of(intKeys[int32]("int32"), means()),
		passing(intKeys[int32]("int32"), floatValues[float64]("float64")), of(intKeys[int32]("int32"), byteValues()),
		of(intKeys[int64]("int64"), intValues[uint64]("uint64")), of(intKeys[int64]("int64"), noneValues()),
		of(intKeys[int64]("int64"), stringValues()), of(intKeys[int]("int"), empties[[0]int]("[0]int")),
		of(intKeys[uint32]("uint32"), floatValues[float32]("float32")), of(intKeys[uint64]("uint64"), intValues[int16]("int16")),

		passing(visits(), intValues[int64]("int64")), of(visits(), byteValues()), of(visits(), noneValues()),
		of(pairKeys(byteKeys(), strs()), summaries()), of(arrayKeys(), stringValues()), of(taggeds(), taggedValues()),

		of(intKeys[int8]("int8"), wordLists()), of(intKeys[uint16]("uint16"), intValues[int8]("int8")), of(boolKeys(), intValues[int64]("int64")),
		of(floatKeys[float32]("float32"), intValues[int]("int")), of(floatKeys[float64]("float64"), stringValues()),
		of(timeKeys(), timeValues()), of(labels(), byteValues()), of(noneKeys(), intValues[int64]("int64")),
		of(versions(), empties[version]("version")), of(versions(), taggedValues()), of(strs(), empties[[2]version]("[2]version")),
		of(taggeds(), empties[version]("version")), of(byteArrayKeys(), intValues[uint32]("uint32")),
		of(deeps(), bags()), of(stampeds(), stampedValues()), of(bigInts(), intValues[int64]("int64")), of(addrs(), intValues[int64]("int64")),
	}
}

const racing = false
