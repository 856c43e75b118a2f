package memory

// Poison is the byte that debug mode (package watch) writes over bytes that user code must no
// longer use. Two of it in a row never occur in UTF-8.
const Poison = 0xDB
