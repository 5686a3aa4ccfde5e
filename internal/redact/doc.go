// Package redact removes secrets from texts that are printed.
//
// A [Redactor] knows the secrets of one event, and [OneLine] makes a text fit to
// be printed:
//
//   - redactor.go is what callers use;
//   - views.go undoes what encodings made of a text;
//   - matcher.go finds many strings in one pass;
//   - oneline.go cuts and cleans.
package redact
