package page

import (
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A track is a lane that is not finished.
type track struct {
	Lane
	key   string
	stack string // the ID of the stack that it is of
	rows  []engine.Row
	inner []*track
}

// lanes are those of a chapter: first the stack's, then those of its resources in the
// order of their rows, and those of a nested stack below its resource.
func (b *builder) lanes(c *chapter) (lanes, standIns []Lane, untouched int) {
	t := b.tracks(c)
	for _, q := range c.sent {
		one := t.track(q)
		one.Requests = append(one.Requests, b.mark(c, q))
	}
	before := maps.Clone(b.was)
	for _, one := range t.all {
		b.fill(c, one)
	}
	for key, status := range before {
		exists := Class(status) != "gone" && Class(b.was[key]) != "gone"
		isOwn := b.stacks[stackOf(key)] == c.stack && key != c.stack.ID+"/"
		isResource := isOwn && !strings.Contains(key, former)
		if isResource && exists && t.by[key] == nil {
			untouched++
		}
	}
	var top []*track
	for _, one := range t.all {
		if outer := b.outer(t, one); outer != nil {
			outer.inner = append(outer.inner, one)
		} else {
			top = append(top, one)
		}
	}
	for _, one := range top {
		if lane := one.lane(); lane.notable {
			lanes = append(lanes, lane)
		} else {
			standIns = append(standIns, lane)
		}
	}
	if len(lanes) == 1 && len(standIns) <= 20 { // there is nothing else to see
		return append(lanes, standIns...), nil, untouched
	}
	return lanes, standIns, untouched
}

// tracks are a chapter's, with the resources' rows.
type tracks struct {
	all []*track
	by  map[string]*track
}

// former stands between a resource's key and its former ID.
const former = "\x00"

func stackOf(key string) string {
	at := strings.LastIndex(strings.SplitN(key, former, 2)[0], "/")
	return key[:at]
}

func (b *builder) tracks(c *chapter) *tracks {
	t := &tracks{by: map[string]*track{}}
	cleaning := map[string]bool{}
	for _, row := range c.rows {
		key := row.StackId + "/" + row.LogicalResourceId
		switch {
		case row.OfStack():
			key = row.StackId + "/"
			cleaning[row.StackId] = strings.Contains(row.ResourceStatus, "CLEANUP")
		case cleaning[row.StackId]:
			if row.ResourceStatus == "DELETE_COMPLETE" && b.at[key] == row.PhysicalResourceId {
				b.was[key] = row.ResourceStatus // the resource is deleted
			}
			key += former + row.PhysicalResourceId
		default:
			b.at[key] = cmp.Or(row.PhysicalResourceId, b.at[key])
		}
		one := t.by[key]
		if one == nil {
			one = &track{key: key, stack: row.StackId, Lane: Lane{Name: row.Name, Label: row.LogicalResourceId, Type: row.ResourceType}}
			if _, id, is := strings.Cut(key, former); is {
				one.Former = b.hide(id)
			}
			one.notable = row.OfStack() || row.ResourceType == engine.StackType || engine.IsCustomResource(row.ResourceType)
			t.by[key], t.all = one, append(t.all, one)
		}
		one.rows = append(one.rows, row)
	}
	return t
}

// track is the track of a request. A Delete in the cleanup is on that of the former resource.
func (t *tracks) track(q *engine.Request) *track {
	key := q.StackID + "/" + q.LogicalID
	if one := t.by[key+former+q.PhysicalID]; one != nil && q.RequestType == "Delete" {
		return one
	}
	if t.by[key] == nil { // its row is of another chapter
		one := &track{key: key, stack: q.StackID, Lane: Lane{Name: q.LogicalID, Label: q.LogicalID, Type: q.Type, notable: true}}
		t.by[key], t.all = one, append(t.all, one)
	}
	return t.by[key]
}

// outer is the track of a nested stack's own resource, or nil.
func (b *builder) outer(t *tracks, one *track) *track {
	s := b.stacks[one.stack]
	if s == nil || s.Parent == "" {
		return nil
	}
	key := s.Parent + "/" + s.Path[strings.LastIndex(s.Path, ".")+1:]
	return cmp.Or(t.by[key], t.by[key+former+s.ID])
}

func (b *builder) fill(c *chapter, one *track) {
	// When it had which status, also before this chapter.
	type stretch struct {
		at             time.Time
		status, reason string
	}
	var all []stretch
	if status := b.was[one.key]; status != "" && len(one.rows) > 0 && c.from.Before(one.rows[0].Timestamp) {
		all = append(all, stretch{c.from, status, ""})
	}
	for _, row := range one.rows {
		all = append(all, stretch{row.Timestamp, row.ResourceStatus, b.hide(row.Why())})
		b.was[one.key] = row.ResourceStatus
	}
	// A bar for each.
	var statuses []string
	for i, s := range all {
		end := 100.0
		if i+1 < len(all) {
			end = c.scale.place(all[i+1].at)
		}
		bar := Bar{X: c.scale.place(s.at), Class: Class(s.status), Status: s.status}
		bar.Width = end - bar.X
		bar.About = s.status + ", " + b.Clock(s.at)
		if s.reason != "" {
			bar.About += ": " + s.reason
		}
		bar.Wide, bar.Narrow = room(s.status, bar.Width, 0.95), room(s.status, bar.Width, 2.3)
		if bar.Class == "gone" {
			bar.Width = 0
		}
		one.Bars = append(one.Bars, bar)
		if n := len(statuses); n == 0 || statuses[n-1] != s.status {
			statuses = append(statuses, s.status)
		}
		one.notable = one.notable || bar.Class == "fail"
	}
	// The lane in words.
	one.Said = one.Name + ": " + strings.Join(statuses, ", ")
	if one.Former != "" {
		one.Said = one.Name + ", formerly " + one.Former + ": " + strings.Join(statuses, ", ")
	}
	one.notable = one.notable || len(one.Requests) > 0
	one.Left = c.last && slices.ContainsFunc(b.Left, func(l Left) bool { return l.Name == one.Name })
}

// room returns the part of a status that fits into a width, for letters of that width.
func room(status string, width, letter float64) string {
	for _, text := range []string{status, short(status)} {
		if width >= float64(len(text)+2)*letter {
			return text
		}
	}
	return ""
}

// lane is the finished lane, with those nested in it.
func (t *track) lane() Lane {
	for _, inner := range t.inner {
		lane := inner.lane()
		if lane.Type == engine.StackType && len(lane.Inner) == 0 && strings.HasSuffix(inner.key, "/") {
			lane.Label = "the stack itself"
		}
		t.Inner = append(t.Inner, lane)
		t.Open = t.Open || lane.Open || slices.ContainsFunc(lane.Bars, func(b Bar) bool { return b.Class == "fail" })
	}
	return t.Lane
}

// long is how long a pause must be to be shortened and marked.
const long = 10 * time.Second

// A scale has a place for each time at which something happened. The longer the time
// between two, the more room it has, but much less than in proportion: a millisecond
// can be seen beside a minute.
type scale struct {
	times []time.Time
	at    []float64 // 0 to 100
}

func newScale(times []time.Time) *scale {
	times = slices.Clone(times)
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	s := &scale{times: times, at: make([]float64, len(times))}
	total := 0.0
	for i := range times {
		if i > 0 {
			total += weight(times[i].Sub(times[i-1]))
		}
		s.at[i] = total
	}
	total += 2 // room for the end
	for i := range s.at {
		s.at[i] *= 100 / total
	}
	return s
}

// weight is how much room there is for a time.
func weight(d time.Duration) float64 {
	return math.Cbrt(float64(min(d, long)) / float64(time.Millisecond))
}

func (s *scale) place(t time.Time) float64 {
	i, found := slices.BinarySearchFunc(s.times, t, time.Time.Compare)
	switch {
	case len(s.at) == 0, i == 0 && !found:
		return 0
	case found:
		return s.at[i]
	}
	return s.at[i-1]
}

// waits are the parts that are shortened. skipped are those that took no time.
func (s *scale) waits(skipped []engine.Note) (all []Wait) {
	for i := 1; i < len(s.times); i++ {
		from, to := s.times[i-1], s.times[i]
		if to.Sub(from) < long {
			continue
		}
		w := Wait{X: s.at[i-1], Width: s.at[i] - s.at[i-1], Text: span(to.Sub(from))}
		w.Skipped = slices.ContainsFunc(skipped, func(n engine.Note) bool { return n.At.After(from.Add(-time.Second)) && n.At.Before(to) })
		all = append(all, w)
	}
	return all
}

// gap is the least distance of two ticks.
const gap = 12

// ticks are the times written beside the scale: the first, the last, and some
// between them. After a shortened part they count anew.
func (s *scale) ticks() (all []Tick) {
	last := len(s.times) - 1
	if last < 0 {
		return nil
	}
	base := s.times[0]
	text := func(t time.Time) string {
		if base.Equal(s.times[0]) {
			return span(t.Sub(base))
		}
		return "+ " + span(t.Sub(base))
	}
	for i, t := range s.times {
		atEnd := i == last || s.at[last]-s.at[i] < gap
		near := i > 0 && (atEnd || s.at[i]-all[len(all)-1].X < gap)
		if !near {
			all = append(all, Tick{X: s.at[i], Text: text(t)})
		}
		// The tick that ends a shortened part is the one that the next ones count from.
		if i > 0 && t.Sub(s.times[i-1]) >= long {
			if base = t; !near {
				all[len(all)-1].Text = span(t.Sub(s.times[0]))
			}
		}
	}
	if last > 0 {
		all = append(all, Tick{X: s.at[last], Text: text(s.times[last]), End: true})
	}
	return all
}

// written counts the pages of each name, of which there may be several.
var written = struct {
	sync.Mutex
	count map[string]int
}{count: map[string]int{}}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9]+`)

// WriteNext writes the story as the next page of a name, such as a test's, into a
// directory, which it creates if needed. It returns the file's name.
func (s *Story) WriteNext(dir, name string) (file string, err error) {
	base := filepath.Join(dir, notInNames.ReplaceAllString(name, "-"))
	written.Lock()
	written.count[base]++
	file = base + "-" + strconv.Itoa(written.count[base]) + ".html"
	written.Unlock()
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	return file, s.View().WriteFile(file)
}
