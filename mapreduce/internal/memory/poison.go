package memory

// Poison is what the debug mode of a plan writes over byte slices whose lifetime has ended. No UTF-8
// text has two of it in a row.
const Poison = 0xDB
