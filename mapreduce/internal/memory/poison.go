package memory

// Poison is the byte that a plan's debug mode writes over byte slices whose lifetime has ended. Two
// of it in a row never occur in UTF-8.
const Poison = 0xDB
