// Package write writes the records of an attempt to its part of the output: form.go says how,
// writer.go does it, text.go encodes lines, router.go and ownpart.go write to other files or by the
// user's code.
package write
