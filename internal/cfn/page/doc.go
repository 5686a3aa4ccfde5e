// Package page shows the life of a stack as a page of HTML: for each operation a lane a resource,
// with its statuses as bars, requests and answers as marks, and what went wrong where it struck;
// below it what each handler was asked, answered and logged.
//
// A page needs no network, and no script to be read. What it shows is text, whatever it holds:
// html/template escapes it, and the Content-Security-Policy lets no script run but the page's own.
package page
