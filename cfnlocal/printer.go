package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

func (a *app) print(v any) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	_, _ = a.out.Write(printable.JSON(line.Bytes()))
}

// A printer is the watcher that prints events as they come. On a terminal it also
// draws a progress line below them.
type printer struct {
	app      *app
	logs     bool // print what handlers write
	custom   bool // leave out the rows of stand-ins
	indent   string
	width    int // of names
	columns  int // of the terminal; 0 if the output is no terminal
	palette  palette
	terminal bool

	mu        sync.Mutex
	lastPrint time.Time      // when something was printed last
	notes     map[string]int // how often each came
	order     []string       // of the notes
	working   []work
	drawn     bool // whether the progress line is on the screen
	done      chan struct{}
	drawing   sync.WaitGroup
}

type work struct {
	name, status string
	since        time.Time
	handled      bool // a handler works on it
	announced    bool // the printer has said that it waits for its answer
}

const (
	// quietPeriod is how long nothing is printed before the printer names answers that it has not named yet.
	quietPeriod = 5 * time.Second
	// silence is how long nothing is printed before it names all again.
	silence = 30 * time.Second
)

func newPrinter(a *app, logs bool) *printer {
	width, columns := 24, columns(a.out)
	if columns > 0 && columns < 86 { // so that "Resource creation Initiated" has room
		width = 18
	}
	return &printer{app: a, logs: logs, width: width, columns: columns, palette: paletteFor(a.out), terminal: isTerminal(a.out) && !a.json, done: make(chan struct{})}
}

// start draws the progress line and names awaited answers until stop is called.
func (p *printer) start() {
	if p.app.json {
		return
	}
	p.lastPrint = time.Now()
	p.drawing.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-p.done:
				return
			case <-tick.C:
				p.mu.Lock()
				p.printWaiting()
				if p.terminal {
					p.draw()
				}
				p.mu.Unlock()
			}
		}
	})
}

func (p *printer) stop() {
	close(p.done)
	p.drawing.Wait()
	p.clear()
	p.printRepeated()
}

// printWaiting names the awaited answers, so that a long wait does not look like the end of the program.
func (p *printer) printWaiting() {
	quiet := time.Since(p.lastPrint)
	if quiet < quietPeriod {
		return
	}
	text, more := "", 0
	for i := range p.working {
		w := &p.working[i]
		verb, _, _ := strings.Cut(w.status, "_")
		request := map[string]string{"CREATE": "Create", "UPDATE": "Update", "DELETE": "Delete"}[verb]
		isDue := !w.announced || quiet >= silence
		switch {
		case !w.handled || request == "" || !isDue:
			continue
		case text != "":
			more++
		case w.announced:
			text = "still waiting for the answer to the " + request + " of " + w.name + ", for " + time.Since(w.since).Round(time.Second).String() + " now"
		default:
			text = "waiting for the answer to the " + request + " of " + w.name
		}
		w.announced = true
	}
	if text == "" {
		return
	}
	if more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	if !p.logs {
		text += "; --logs shows what handlers print"
	}
	p.note(text)
}

func (p *printer) draw() {
	p.clear()
	var parts []string
	for _, w := range p.working {
		if elapsed := time.Since(w.since); elapsed > 500*time.Millisecond {
			parts = append(parts, fmt.Sprintf("%s %s %.0fs", w.name, w.status, elapsed.Seconds()))
		}
	}
	if len(parts) == 0 {
		return
	}
	if n := len(parts); n > 2 {
		parts = append(parts[:2], fmt.Sprintf("and %d more", n-2))
	}
	// The text must fit on one line, since clear clears only one.
	fmt.Fprint(p.app.out, p.palette.dim(fmt.Sprintf("%.*s", p.columns-1, p.indent+strings.Join(parts, ", "))))
	p.drawn = true
}

func (p *printer) clear() {
	if p.drawn {
		fmt.Fprint(p.app.out, clearLine)
		p.drawn = false
	}
}

// Event prints a row.
func (p *printer) Event(e engine.Row) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastPrint = time.Now()
	p.track(e)
	switch {
	case p.app.json:
		row := map[string]any{"Event": e.Event}
		if e.Place != "" {
			row["Place"] = e.Place
		}
		p.app.print(row)
	case !p.custom, hasHandler(e.ResourceType), e.ResourceType == engine.StackType:
		p.clear()
		fmt.Fprintln(p.app.out, p.row(e))
	}
}

func (p *printer) track(e engine.Row) {
	inProgress := strings.HasSuffix(e.ResourceStatus, "_IN_PROGRESS")
	p.working = slices.DeleteFunc(p.working, func(w work) bool { return w.name == e.Name && !inProgress })
	known := slices.ContainsFunc(p.working, func(w work) bool { return w.name == e.Name })
	isNew := inProgress && !known
	if isNew && !e.OfStack() {
		p.working = append(p.working, work{name: e.Name, status: e.ResourceStatus, since: time.Now(), handled: hasHandler(e.ResourceType)})
	}
}

// row formats an event as the console does. A reason that does not fit is on the lines below.
func (p *printer) row(e engine.Row) string {
	name := fmt.Sprintf("%-*s", p.width, e.Name)
	if e.OfStack() {
		name = p.palette.bold(name)
	}
	line := p.indent + p.palette.dim(e.Timestamp.Local().Format("15:04:05")) + "  " + name + "  " + p.palette.status(e.ResourceStatus)
	var about []string
	if hasHandler(e.ResourceType) && e.PhysicalResourceId != "" {
		about = append(about, "["+printable.Line(e.PhysicalResourceId)+"]")
	}
	if reason := printable.Line(logPointer.ReplaceAllString(e.Why(), "")); reason != "" {
		about = append(about, reason)
	}
	// The physical ID stays on the row if it fits, as in the console; a long reason goes below.
	if len(about) == 0 {
		return line
	}
	gap := strings.Repeat(" ", max(0, 20-len(e.ResourceStatus))+2)
	used := len(p.indent) + len("15:04:05  ") + max(p.width, utf8.RuneCountInString(e.Name)) + 2 + len(e.ResourceStatus) + len(gap)
	fits := func(text string) bool { return p.columns == 0 || used+utf8.RuneCountInString(text) <= p.columns }
	switch {
	case fits(strings.Join(about, " ")):
		return line + gap + strings.Join(about, " ")
	case len(about) == 2 && fits(about[0]):
		line, about = line+gap+about[0], about[1:]
	}
	below := p.indent + noteIndent
	return line + "\n" + wrap(p.columns, below, below, strings.Join(about, " "))
}

// logPointer matches what handlers append to a reason, so that somebody finds the log on AWS: the SDK's, and that of
// AWS's own cfn-response. Here --logs shows it.
var logPointer = regexp.MustCompile(` ?\(log group [^()]*\)|(?: ?See the details in CloudWatch Log Stream: \S*)`)

// noteIndent is the indentation of notes and log lines.
const noteIndent = "          "

// Note prints a note the first time, and counts it after that.
func (p *printer) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.app.json {
		p.app.print(map[string]any{"Note": text})
		return
	}
	if p.notes == nil {
		p.notes = map[string]int{}
	}
	if p.notes[text]++; p.notes[text] > 1 {
		return // printRepeated prints the count
	}
	p.order = append(p.order, text)
	p.note(text)
}

func (p *printer) note(text string) {
	p.lastPrint = time.Now()
	p.clear()
	fmt.Fprintln(p.app.out, p.palette.dim(wrap(p.columns, p.indent+noteIndent+"~ ", p.indent+noteIndent+"  ", printable.Line(text))))
}

func (p *printer) printRepeated() {
	for _, text := range p.order {
		if n := p.notes[text]; n > 1 {
			if cut := []rune(text); len(cut) > 80 { // the whole text was printed above
				text = string(cut[:80]) + "…"
			}
			p.note(fmt.Sprintf("%d times in all: %s", n, text))
		}
	}
	p.notes, p.order = nil, nil
}

// Log prints a line of a handler's log if --logs is set.
func (p *printer) Log(function, line string) {
	if !p.logs {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.app.json {
		p.app.print(map[string]any{"Log": line, "Function": function})
		return
	}
	p.lastPrint = time.Now()
	p.clear()
	fmt.Fprintln(p.app.out, p.indent+p.palette.dim(noteIndent+printable.Line(function+" | "+line)))
}

// hasHandler reports whether handlers manage the resources of a type. A registered
// type counts, although its resources are stand-ins without --type.
func hasHandler(resourceType string) bool {
	return resourceType == "AWS::CloudFormation::CustomResource" || !strings.HasPrefix(resourceType, "AWS::")
}
