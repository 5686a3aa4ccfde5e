// Package redact removes secrets from texts that are printed.
//
// A [Redactor] knows the secrets of one event. It searches for them in each view of
// a text: in the text as it is, and in what is left when its encodings are undone,
// one in another. What a view's match comes from is masked in the text.
//
//   - redactor.go is what callers use, mask.go what one text goes through;
//   - view.go and reader.go make the views;
//   - encodings.go is the table of what is undone, and escapes.go, runs.go and
//     lists.go are its units;
//   - matcher.go finds many strings in one pass;
//   - oneline.go cuts texts and makes them fit to be printed.
package redact
