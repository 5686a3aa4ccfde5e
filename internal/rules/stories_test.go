package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A script is effects that end as a story wants it, and are told in order.
type script struct {
	phases  []rules.Phase // one answer after the other, the last one from then on
	find    func(of rules.Side, waited bool) string
	created rules.Outcome
	deletes rules.End
	noTime  bool // to wait

	start         rules.Phase
	asked, waited bool
	told          []string
}

func (s *script) tell(parts ...string) {
	s.told = append(s.told, strings.TrimSpace(strings.Join(parts, " ")))
}

func (s *script) next() (p rules.Phase) {
	if p = s.phases[0]; len(s.phases) > 1 {
		s.phases = s.phases[1:]
	}
	return p
}

func (s *script) Phase() rules.Phase {
	if !s.asked {
		s.tell("Phase")
		s.asked, s.start = true, s.next()
	}
	return s.start
}

func (s *script) PhaseNow(made string) rules.Phase {
	s.tell("PhaseNow", made)
	now := s.next()
	if rules.Stale(s.start, now) {
		s.start = now
	}
	return now
}

func (s *script) Find(of rules.Side, _ string) (string, rules.Outcome) {
	s.tell("Find")
	return s.find(of, s.waited), rules.Outcome{}
}

func (s *script) Create(string) rules.Outcome {
	s.tell("Create")
	return s.created
}

func (s *script) Update(id string, _ rules.How) rules.Outcome {
	s.tell("Update", id)
	return s.created
}

func (s *script) Delete(id string, _ bool) rules.Outcome {
	s.tell("Delete", id)
	return rules.Outcome{End: s.deletes, Reason: "Delete fails"}
}

func (s *script) Continue(rules.Chain) rules.Outcome {
	s.tell("Continue")
	return rules.Outcome{}
}

func (s *script) Wait(m rules.Moment) bool {
	s.tell("Wait", map[rules.Moment]string{rules.Lag: "Lag", rules.NextAnswer: "NextAnswer", rules.OtherAnswers: "OtherAnswers"}[m])
	s.waited = true
	return !s.noTime
}

// What was lost or stuck once, each as what is asked for and answered.
func TestStories(t *testing.T) {
	const F, B, N = rules.Forward, rules.Back, rules.NotAwaited
	failed, waits := rules.Outcome{End: rules.Failed, ID: made, Reason: "Create fails"}, rules.Outcome{End: rules.Waiting, Reason: "not ready"}
	replacement := rules.Facts{Type: lifecycle.Update, ID: oldStable, StableID: stableID, OldStableID: oldStable, Identity: rules.Differs, Makes: true}
	unexplained := rules.Facts{Type: lifecycle.Update, ID: theirs, StableID: stableID, OldStableID: oldStable, Identity: rules.Differs, Finds: true, Makes: true}
	lost := rules.Facts{Type: lifecycle.Delete, ID: generated, Generated: true, StableID: stableID, Makes: true}
	lostFound, own := rules.Facts{Type: lifecycle.Delete, ID: stableID, StableID: stableID, Finds: true, Makes: true}, rules.Facts{Type: lifecycle.Delete, ID: theirs, StableID: stableID, Makes: true}
	finds := func(rules.Side, bool) string { return made }
	inPlace := rules.Facts{Type: lifecycle.Update, ID: theirs, Continues: true}
	for _, tt := range []struct {
		name  string
		facts rules.Facts
		do    script
		told  string
		id    string // of the answer; "" for none
		ok    bool
	}{
		{"the stack turns back while Find is tried again, or an Update waits until searches show its ID", unexplained,
			script{phases: []rules.Phase{F, B}, created: rules.Outcome{ID: made}, find: func(of rules.Side, waited bool) string {
				if of == rules.Old && waited {
					return theirs
				}
				return ""
			}},
			"Phase, Find, Find, Wait Lag, Find, Find, Create, PhaseNow svc-1, Wait OtherAnswers, PhaseNow svc-1, Delete svc-1", theirs, false},

		{"the service deletes what a failed replacement made", replacement,
			script{phases: []rules.Phase{rules.PhaseUnknown}, created: failed, deletes: rules.Deleting},
			"Phase, Create, PhaseNow svc-1, Delete svc-1", oldStable, false},
		{"and refuses to, for as long as there is time", replacement,
			script{phases: []rules.Phase{rules.PhaseUnknown}, created: failed, deletes: rules.Unknown},
			"Phase, Create, PhaseNow svc-1, Delete svc-1", made, false},

		{"DescribeStacks shows late that the event is awaited", inPlace, script{phases: []rules.Phase{N, F}},
			"Phase, Wait NextAnswer, PhaseNow, Update svc-0", theirs, true},
		{"or it is not", inPlace, script{phases: []rules.Phase{N}, noTime: true}, "Phase, Wait NextAnswer", theirs, false},
		{"and it has turned back by then: it is taken for the rollback's own, and what it makes stays", replacement,
			script{phases: []rules.Phase{N, B}, created: rules.Outcome{ID: made}}, "Phase, Wait NextAnswer, PhaseNow, Create", made, true},
		{"and that it does not go back", inPlace, script{phases: []rules.Phase{B, F}, created: waits},
			"Phase, Update svc-0, PhaseNow, Continue", "", false},

		{"a cleanup deletes a Create that was lost, and another one has adopted what that made", lost, script{phases: []rules.Phase{N}, noTime: true},
			"PhaseNow stable, Wait NextAnswer", generated, false},
		{"or that failed, and did not say what it made", lostFound, script{phases: []rules.Phase{N}, noTime: true, find: finds},
			"Find, PhaseNow svc-1, Wait NextAnswer", stableID, false},
		{"or that failed, and said so", own, script{phases: []rules.Phase{N}, noTime: true}, "PhaseNow svc-0, Wait NextAnswer", theirs, false},
		{"and DescribeStacks shows late that the stack does not use it", own, script{phases: []rules.Phase{N, F}},
			"PhaseNow svc-0, Wait NextAnswer, PhaseNow svc-0, Delete svc-0", theirs, true},

		{"another delivery was answered with what a failed replacement made", replacement, script{phases: []rules.Phase{F, F, N}, created: failed},
			"Phase, Create, PhaseNow svc-1, Wait OtherAnswers, PhaseNow svc-1", oldStable, false},
		{"and there is no time to wait", replacement, script{phases: []rules.Phase{F, N}, created: failed, noTime: true},
			"Phase, Create, PhaseNow svc-1", oldStable, false},
		{"or none was", replacement, script{phases: []rules.Phase{F}, created: failed, noTime: true},
			"Phase, Create, PhaseNow svc-1, Wait OtherAnswers, Delete svc-1", oldStable, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := rules.Handle(tt.facts, &tt.do)
			if diff := cmp.Diff(tt.told, strings.Join(tt.do.told, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if a.ID != tt.id || a.OK != tt.ok || a.Continued != (tt.id == "") {
				t.Errorf("answered %+v, want %q, success %t", a, tt.id, tt.ok)
			}
		})
	}
}
