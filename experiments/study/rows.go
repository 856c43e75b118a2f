package study

// add adds a row.
func (s *Study) add(r Row) *Row {
	s.rows = append(s.rows, &r)
	return &r
}

// Printed adds PrintedRow.
func (s *Study) Printed(quantity, unit string, number float64, t Tolerance, ours Sample) *Row {
	return s.add(PrintedRow(quantity, unit, number, t, ours))
}

// PrintedRange adds PrintedRange.
func (s *Study) PrintedRange(quantity, unit string, low, high float64, t Tolerance, ours Sample) *Row {
	return s.add(PrintedRange(quantity, unit, low, high, t, ours))
}

// Said adds SaidRow.
func (s *Study) Said(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(SaidRow(quantity, unit, claim, b, ours))
}

// Own adds OwnRow.
func (s *Study) Own(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(OwnRow(quantity, unit, claim, b, ours))
}

// Follows adds FollowsRow.
func (s *Study) Follows(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(FollowsRow(quantity, unit, claim, b, ours))
}

// Formula adds FormulaRow.
func (s *Study) Formula(quantity, unit string, number, within float64, ours Sample) *Row {
	return s.add(FormulaRow(quantity, unit, number, within, ours))
}

// Shown adds Shown.
func (s *Study) Shown(quantity, unit string, ours Sample) *Row {
	return s.add(Shown(quantity, unit, ours))
}

// Known adds Known.
func (s *Study) Known(quantity, unit string, number float64, ours Sample) *Row {
	return s.add(Known(quantity, unit, number, ours))
}
