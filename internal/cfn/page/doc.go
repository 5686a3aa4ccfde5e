// Package page shows the life of a stack as a page of HTML: for each operation
// a lane a resource, with its statuses as bars, requests and answers as marks, and
// what went wrong where it struck; below it what each handler was asked, answered
// and logged.
//
//	story.go   what a page is made of
//	view.go    what a page shows, as plain data
//	build.go   from one to the other: operations
//	lane.go    lanes, bars
//	entry.go   requests, their answers, invocations and logs
//	scale.go   times as places, with waits shortened
//	words.go   how times, statuses and texts are written
//	write.go   the view as HTML: page.html, page.css and page.js
//	file.go    the same as a file
//
// A page needs no network, and no script to be read. What it shows is text,
// whatever it holds: html/template escapes it, and the Content-Security-Policy
// lets no script run but the page's own.
package page
