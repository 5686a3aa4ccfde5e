package cfnresource_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// An older library made IDs in the shape of CloudFormation's own.
func TestAdversaryImitatedIDIsDeleted(t *testing.T) {
	for name, handler := range map[string]func(*shelf) any{
		"named":    func(s *shelf) any { return s.named() },
		"assigned": func(s *shelf) any { return s.assigned() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newShelf(genID)
				expect(t, handler(s), deleted(genID), "SUCCESS", genID)
				s.holds(t)
			})
		})
	}
}

// A Delete overtakes its Create: what it finds, or does not, proves nothing
// until a Create must have ended.
func TestAdversaryDeleteWaitsForTheCreateItOvertook(t *testing.T) {
	for name, handler := range map[string]func(*shelf) *finder{
		"assigned": (*shelf).assigned,
		"one that answers nil for what is not there": func(s *shelf) *finder {
			h := s.assigned()
			h.onDelete = func(_ context.Context, req *del) error {
				_ = s.remove(req.PhysicalID) // gone is gone
				return nil
			}
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newShelf()
				h := handler(s)
				first := h.onCreate
				h.onCreate = func(ctx context.Context, req *create) (data, error) {
					<-time.After(20 * time.Second)
					return first(ctx, req)
				}
				done := make(chan answer)
				go func() { done <- invoke(t, dispatcher(h), created(nil)) }()
				<-time.After(5 * time.Second)
				expect(t, h, deleted(genID), "SUCCESS", genID)
				if a := <-done; a.Status != "SUCCESS" {
					t.Errorf("the Create, which nobody waits for: %s %s", a.Status, a.Reason)
				}
				s.holds(t)
			})
		})
	}
}

// The wait ends before the function's own deadline, and that is no failure.
func TestAdversaryWaitEndsBeforeTheDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShelf()
		start := time.Now()
		expect(t, s.named(), deleted(genID), "SUCCESS", genID, func(o *cfnresource.Options) { o.LostGrace = 15 * time.Minute })
		if took := time.Since(start); took >= 30*time.Second {
			t.Errorf("answered after %v, which is the function's whole time", took)
		}
	})
}

// An event that Lambda's queue held for hours is not worked on.
func TestAdversaryEventsThatCloudFormationGaveUp(t *testing.T) {
	s := newShelf(stable("a"))
	old := object{"age": 3 * time.Hour, "PhysicalResourceId": stable("a")}
	for _, tt := range []struct{ requestType, id string }{{"Create", stable("a")}, {"Update", stable("a")}, {"Delete", stable("a")}} {
		h := s.named()
		fields := maps.Clone(old)
		if tt.requestType == "Create" {
			delete(fields, "PhysicalResourceId")
		}
		expect(t, h, event(tt.requestType, fields), "FAILED", tt.id)
		if got := calls(h); len(got) > 0 {
			t.Errorf("%s: the handler was called: %v", tt.requestType, got)
		}
	}
	s.holds(t, stable("a"))
}

// A replacement that is cancelled leaves its new resource, since no request
// names it. The next attempt adopts it.
func TestAdversaryCancelledReplacementIsAdoptedByTheNext(t *testing.T) {
	s := newShelf()
	h := s.assigned()
	expect(t, h, created(nil), "SUCCESS", "svc-1")
	expect(t, h, updated("svc-1", "a", "b"), "SUCCESS", "svc-2") // an answer that nobody reads
	expect(t, h, updated("svc-1", "b", "a"), "SUCCESS", "svc-1")
	s.holds(t, "svc-1", "svc-2")
	expect(t, h, updated("svc-1", "a", "b"), "SUCCESS", "svc-2")
	expect(t, h, deleted("svc-1"), "SUCCESS", "svc-1")
	s.holds(t, "svc-2")
}

// The service made the thing and its answer was lost: an error does not say
// that nothing was made.
func TestAdversaryErrorDoesNotSayThatNothingWasMade(t *testing.T) {
	s := newShelf()
	h := s.assigned()
	h.onCreate = func(_ context.Context, req *create) (data, error) {
		s.assign(req.StableID())
		return nil, errors.New("timeout")
	}
	expect(t, h, created(nil), "FAILED", stable("a"))
	expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
	s.holds(t)
}

// The first attempt made it and died, the second fails early: at Create, or at
// Find.
func TestAdversarySecondAttemptFailsEarly(t *testing.T) {
	t.Run("at Find", func(t *testing.T) {
		bubble(t, func(t *testing.T) { // the Delete looks more than once
			s := newShelf()
			h := s.assigned()
			s.assign(stable("a")) // by the attempt that died
			find := h.onFind
			h.onFind = func(context.Context, *cfnresource.FindRequest[props]) (string, error) { return "", errSome }
			expect(t, h, created(nil), "FAILED", stable("a"))
			h.onFind = find
			expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
			s.holds(t)
		})
	})
	t.Run("at the Update of what was found", func(t *testing.T) {
		s := newShelf()
		h := s.assigned()
		s.assign(stable("a"))
		h.onUpdate = func(context.Context, *update) (res data, err error) { return res, errSome }
		expect(t, h, created(nil), "FAILED", "svc-1")
		expect(t, h, deleted("svc-1"), "SUCCESS", "svc-1")
		s.holds(t)
	})
}

// A replacement made its new resource and the process died. Its answer leads
// back to the old one; what is left the next attempt adopts.
func TestAdversaryReplacementThatDiedLeadsBack(t *testing.T) {
	s := newShelf()
	h := s.named()
	a, b := stable("a"), stable("b")
	expect(t, h, created(nil), "SUCCESS", a)
	_ = s.put(b, "") // by the process that died
	expect(t, h, died(updated(a, "a", "b")), "FAILED", a)
	expect(t, h, updated(a, "b", "a"), "SUCCESS", a)
	expect(t, h, updated(a, "a", "b"), "SUCCESS", b)
	expect(t, h, deleted(a), "SUCCESS", a)
	s.holds(t, b)
}

// The Create succeeded, but its answer cannot be sent: the ID that it named
// leads the rollback to what it made.
func TestAdversaryAnswerThatCannotBeSentLeadsToWhatWasMade(t *testing.T) {
	for name, d := range map[string]data{
		"too large":      {"Big": strings.Repeat("x", 5000)},
		"not marshalled": {"Func": func() {}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			h := s.handler("", func(_ context.Context, req *create) (data, error) {
				req.Created(s.assign(""))
				return d, nil
			})
			expect(t, &h, created(nil), "FAILED", "svc-1")
			expect(t, &h, deleted("svc-1"), "SUCCESS", "svc-1")
			s.holds(t)
		})
	}
	t.Run("beside an error", func(t *testing.T) {
		s := newShelf()
		h := s.handler("", func(_ context.Context, req *create) (data, error) { req.Created(s.assign("")); return nil, errSome })
		expect(t, &h, created(nil), "FAILED", "svc-1")
	})
}

// What CloudFormation makes of a new ID in a FAILED Update is not known: what
// was made is undone, and the answer is the event's ID.
func TestAdversaryFailedReplacementIsUndone(t *testing.T) {
	s := newShelf()
	h := s.assigned()
	expect(t, h, created(nil), "SUCCESS", "svc-1")
	for name, fail := range map[string]func(req *create) (data, error){
		"error":  func(req *create) (data, error) { req.Created(s.assign("")); return nil, errSome },
		"panic":  func(req *create) (data, error) { req.Created(s.assign("")); panic("bug") },
		"Goexit": func(req *create) (data, error) { req.Created(s.assign("")); runtime.Goexit(); return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			h.onCreate = func(_ context.Context, req *create) (data, error) { return fail(req) }
			expect(t, h, updated("svc-1", "a", "b"), "FAILED", "svc-1")
			s.holds(t, "svc-1")
		})
	}
}

// A StableID that was only asked for is not deleted: in the rollback of a
// replacement it is the live resource's.
func TestAdversaryWhatWasOnlyAskedForIsNotUndone(t *testing.T) {
	a, b := stable("a"), stable("b")
	s := newShelf(a, b)
	h := s.handler("", func(_ context.Context, req *create) (data, error) {
		_ = req.StableID()
		return nil, errSome
	})
	expect(t, &h, updated(b, "b", "a"), "FAILED", b)
	s.holds(t, a, b)
}

// What was adopted is not undone either.
func TestAdversaryWhatWasAdoptedIsNotUndone(t *testing.T) {
	a, b := stable("a"), stable("b")
	s := newShelf(a, b)
	h := s.named()
	h.onUpdate = func(context.Context, *update) (res data, err error) { return res, errSome }
	expect(t, h, updated(b, "b", "a"), "FAILED", b)
	s.holds(t, a, b)
}

// A provider learned to refuse what it once accepted: a rollback to that is
// not refused, where the phase tells that it is one.
func TestAdversaryRollbackToPropertiesNowRefused(t *testing.T) {
	rollingBack := func(o *cfnresource.Options) {
		o.Phase = func(context.Context, *cfnresource.Operation) (lifecycle.Phase, error) {
			return lifecycle.PhaseUpdateRollback, nil
		}
	}
	s := newShelf(stable("a"))
	p := event("Update", object{
		"PhysicalResourceId":    stable("a"),
		"ResourceProperties":    object{"Name": "a", "Size": "big"},
		"OldResourceProperties": object{"Name": "a", "Size": "1"},
	})
	expect(t, s.named(), p, "SUCCESS", stable("a"), rollingBack)
	expect(t, s.named(), p, "FAILED", stable("a")) // without the phase it cannot be told from a typo
}

// The same value written in another way is no other identity, and neither is
// one that cannot be read.
func TestAdversaryReformattingReplacesNothing(t *testing.T) {
	type typed struct {
		On    bool          `cfn:"createOnly"`
		Port  int           `cfn:"createOnly"`
		Wait  time.Duration `cfn:"createOnly"`
		Zone  string        `cfn:"createOnly,default=a"`
		Price float64       `cfn:"createOnly"`
	}
	base := object{"ServiceToken": "arn:1", "On": "true", "Port": "80", "Wait": "60s", "Price": "1.5"}
	with := func(fields object) object {
		p := maps.Clone(base)
		maps.Copy(p, fields)
		return p
	}
	for name, props := range map[string]any{
		"a bool":                     with(object{"On": true}),
		"an int":                     with(object{"Port": 80}),
		"a duration":                 with(object{"Wait": "1m"}),
		"a float":                    with(object{"Price": "1.50"}),
		"a default written out":      with(object{"Zone": "a"}),
		"an unknown property":        with(object{"Colour": "red"}),
		"another ServiceToken":       with(object{"ServiceToken": "arn:2"}),
		"a shape that is not read":   with(object{"Zone": object{"Name": "a"}}),
		"old properties that are {}": nil,
	} {
		t.Run(name, func(t *testing.T) {
			created := false
			h := &typedHandler[typed]{onCreate: func() { created = true }}
			d := cfnresource.New(h, silent)
			fields := object{"PhysicalResourceId": "id-1", "ResourceProperties": base, "OldResourceProperties": props}
			a := invoke(t, d, event("Update", fields))
			if a.Status != "SUCCESS" || a.PhysicalResourceId != "id-1" || created || h.identityChanged {
				t.Errorf("answered %s %s (%s), Create called: %v, IdentityChanged: %v", a.Status, a.PhysicalResourceId, a.Reason, created, h.identityChanged)
			}
		})
	}
}

// A typedHandler has properties of its own type.
type typedHandler[P any] struct {
	onCreate        func()
	identityChanged bool
}

func (h *typedHandler[P]) Create(context.Context, *cfnresource.CreateRequest[P]) (res data, err error) {
	if h.onCreate != nil {
		h.onCreate()
	}
	return res, nil
}

func (h *typedHandler[P]) Update(_ context.Context, req *cfnresource.UpdateRequest[P]) (res data, err error) {
	h.identityChanged = req.IdentityChanged
	return res, nil
}

func (h *typedHandler[P]) Delete(context.Context, *cfnresource.DeleteRequest[P]) error { return nil }

// CloudFormation sends the rollback's Delete with the Create's RequestId.
func TestAdversaryRequestIDIsUsedAgain(t *testing.T) {
	s := newShelf()
	var tokens []string
	h := s.handler("", func(_ context.Context, req *create) (data, error) {
		tokens = append(tokens, req.IdempotencyToken())
		return nil, s.put(req.StableID(), "")
	})
	bubble(t, func(t *testing.T) {
		d := dispatcher(&h) // one process: it remembers
		send := func(p payload, status string) {
			t.Helper()
			if a := invoke(t, d, p); a.Status != status {
				t.Errorf("answered %s (%s), want %s", a.Status, a.Reason, status)
			}
			<-time.After(time.Second)
		}
		send(created(nil), "SUCCESS")
		send(deleted(stable("a")), "SUCCESS")
		s.holds(t)
		send(created(nil), "SUCCESS")
		s.holds(t, stable("a"))
		if len(tokens) == 2 && tokens[0] == tokens[1] {
			t.Error("two Creates of one RequestId have the same token: the service would return what was deleted")
		}
	})
}

// A rollback meets the update that it takes back, which still runs: the
// service's conflict passes.
func TestAdversaryRollbackWaitsForItsPredecessor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		free := time.Now().Add(20 * time.Second)
		busy := func() error {
			if time.Now().Before(free) {
				return cfnresource.Errorf(cfnresource.CodeResourceConflict, "an update is in progress")
			}
			return nil
		}
		h := &fake{
			onUpdate: func(context.Context, *update) (res data, err error) { return res, busy() },
			onDelete: func(context.Context, *del) error { return busy() },
		}
		expect(t, h, updated(stable("a"), "a", "a"), "SUCCESS", stable("a"))
		free = time.Now().Add(20 * time.Second)
		expect(t, h, deleted(stable("a")), "SUCCESS", stable("a"))
	})
}

// A destination speaks for a process that died: as for an outcome that is not
// known, and without the handler.
func TestAdversaryRecordOfADeath(t *testing.T) {
	for _, tt := range []struct {
		name       string
		p          payload
		status, id string
	}{
		{"Create", created(nil), "FAILED", stable("a")},
		{"Update", updated("svc-1", "a", "a"), "FAILED", "svc-1"},
		{"replacement", updated(stable("a"), "a", "b"), "FAILED", stable("a")},
		{"Delete", deleted("svc-1"), "FAILED", "svc-1"},
		{"Delete of the marker", deleted(marker), "SUCCESS", marker},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &finder{}
			expect(t, h, died(tt.p), tt.status, tt.id)
			if got := calls(h); len(got) > 0 {
				t.Errorf("the handler was called: %v", got)
			}
		})
	}
}

// A record whose URL has expired is no reason to deliver it again for ever.
func TestAdversaryRecordThatCloudFormationGaveUp(t *testing.T) {
	ctx := hook.WithSender(t.Context(), &recorder{err: errors.New("403 Forbidden: Request has expired")})
	p := died(created(object{"age": 3 * time.Hour}))
	if _, err := dispatcher(&fake{}).Invoke(ctx, p()); err != nil {
		t.Errorf("Invoke: %v", err)
	}
}

// One part is gone and the other is out of reach: that is not gone.
func TestAdversaryJoinedNotFoundIsNoSuccess(t *testing.T) {
	notFound := cfnresource.Errorf(cfnresource.CodeNotFound, "no role")
	denied := cfnresource.Errorf(cfnresource.CodeAccessDenied, "no permission for the bucket")
	for _, tt := range []struct {
		name   string
		err    error
		status string
	}{
		{"and an error with another code", errors.Join(notFound, denied), "FAILED"},
		{"and an error without a code", errors.Join(notFound, errSome), "FAILED"},
		{"and NotFound", errors.Join(notFound, notFound), "SUCCESS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := &fake{onDelete: func(context.Context, *del) error { return tt.err }}
			expect(t, h, deleted("svc-1"), tt.status, "svc-1")
		})
	}
}

// The service repeats a secret in its error.
func TestAdversarySecretsAreStruckOutOfReasons(t *testing.T) {
	fail := func(p props) error { return fmt.Errorf("value %q at masterUserPassword is too short", p.Secret) }
	h := &fake{
		onCreate: func(_ context.Context, req *create) (res data, err error) { return res, fail(req.Properties) },
		onUpdate: func(_ context.Context, req *update) (res data, err error) {
			panic(fmt.Sprint(fail(req.Properties), fail(req.OldProperties)))
		},
		onDelete: func(_ context.Context, req *del) error { return fail(req.Properties) },
	}
	secret := object{"Name": "a", "Secret": "hunter2 \"quoted\""}
	older := object{"Name": "a", "Secret": "correct horse"}
	for _, p := range []payload{
		created(object{"ResourceProperties": secret}),
		event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": secret, "OldResourceProperties": older}),
		event("Delete", object{"PhysicalResourceId": "svc-1", "ResourceProperties": secret}),
	} {
		a := invoke(t, dispatcher(h), p)
		if a.Status != "FAILED" || strings.Contains(a.Reason, "hunter2") || strings.Contains(a.Reason, "correct horse") || !strings.Contains(a.Reason, "***") {
			t.Errorf("answered %s: %s", a.Status, a.Reason)
		}
	}
}

// The ID is a hash of createOnly properties that anybody can see: with a
// secret in it, anybody can guess.
func TestAdversarySecretIsNoIdentity(t *testing.T) {
	type pin struct {
		PIN string `cfn:"createOnly,secret"`
	}
	d := cfnresource.New(&typedHandler[pin]{}, silent)
	if d.Err() == nil {
		t.Error("a property that is createOnly and secret is accepted")
	}
	if a := invoke(t, d, created(object{"ResourceProperties": object{"PIN": "1234"}})); a.Status != "FAILED" || a.PhysicalResourceId != marker {
		t.Errorf("answered %s %s", a.Status, a.PhysicalResourceId)
	}
}

// Names shorter than 63 characters keep what makes them different.
func TestAdversaryShortNamesStayDifferent(t *testing.T) {
	for _, limit := range []int{20, 32, 40, 63} {
		var ids []string
		h := &fake{onCreate: func(_ context.Context, req *create) (res data, err error) {
			ids = append(ids, req.StableID())
			return res, nil
		}}
		for _, name := range []string{"a", "b"} {
			invoke(t, dispatcher(h, func(o *cfnresource.Options) { o.IDLength = limit }), created(object{"ResourceProperties": object{"Name": name}}))
		}
		if len(ids) != 2 || ids[0] == ids[1] || len(ids[0]) > limit || len(ids[1]) > limit {
			t.Errorf("with at most %d characters: %v", limit, ids)
		}
	}
}

// A handler goes on after its time; the rollback's Delete, which the same
// process gets, waits for it.
func TestAdversaryDeleteWaitsForTheHandlerThatOutlivedItsAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newShelf()
		h := s.handler("", func(_ context.Context, req *create) (data, error) {
			<-time.After(40 * time.Second) // whatever its context says
			return nil, s.put(req.StableID(), "")
		})
		// It asks for the StableID only then, but what outlives its time is unknown.
		d := dispatcher(&h)
		if a := invoke(t, d, created(nil)); a.Status != "FAILED" || a.PhysicalResourceId != stable("a") {
			t.Errorf("answered %s %s", a.Status, a.PhysicalResourceId)
		}
		if a := invoke(t, d, deleted(stable("a"))); a.Status != "SUCCESS" {
			t.Errorf("answered %s (%s)", a.Status, a.Reason)
		}
		s.holds(t)
	})
}

// What is adopted may be half made: Update brings it to the properties, and
// nothing is said of how it was.
func TestAdversaryAdoptionIsAnUpdate(t *testing.T) {
	for name, handler := range map[string]func(*shelf) any{
		"AlreadyExists": func(s *shelf) any { return s.named() },
		"Find": func(s *shelf) any {
			return &finder{fake: *s.named(), onFind: finds(map[string]string{"a": stable("a")})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(stable("a"))
			h := handler(s)
			f, ok := h.(*fake)
			if !ok {
				f = &h.(*finder).fake
			}
			f.onUpdate = func(_ context.Context, req *update) (data, error) {
				if !req.Adopted || req.OldProperties != (props{}) || req.PhysicalID != stable("a") || req.Properties.Size != 1 {
					t.Errorf("Update of %s to %d from %v (%v)", req.PhysicalID, req.Properties.Size, req.OldProperties.Size, req.OldPropertiesErr)
				}
				return data{"From": "Update"}, nil
			}
			a := expect(t, h, created(nil), "SUCCESS", stable("a"))
			if a.Data["From"] != "Update" {
				t.Errorf("Data is %v, want Update's", a.Data)
			}
		})
	}
}

// A resource that a policy kept is adopted when the template comes back to it.
// If the adoption fails, it is left; if it succeeds and the update is rolled
// back, CloudFormation deletes it, which no event could have told.
func TestAdversaryRetainedResource(t *testing.T) {
	a, b := stable("a"), stable("b")
	s := newShelf(a, b) // a was kept when b replaced it
	h := s.named()
	expect(t, h, updated(b, "b", "a"), "SUCCESS", a)
	expect(t, h, updated(a, "a", "b"), "SUCCESS", b) // the rollback
	s.holds(t, a, b)
	expect(t, h, deleted(a), "SUCCESS", a) // and its cleanup
	s.holds(t, b)
}

// The answer goes to CloudFormation's bucket in the function's own region, and
// to no look-alike that anybody could register.
func TestAdversaryAnswersGoNowhereElse(t *testing.T) {
	t.Setenv("AWS_REGION", "us-west-2")
	genuine := signedURL(time.Now(), "r1")
	for name, change := range map[string][2]string{
		"a region that nobody has": {"response-uswest2.s3-us-west-2", "response-uswest9.s3-us-west-9"},
		"another region's":         {"response-uswest2.s3-us-west-2", "response-useast1.s3-us-east-1"},
		"another bucket":           {"cloudformation-custom", "cloudformation-custom-evil"},
		"another domain":           {"amazonaws.com/", "amazonaws.com.evil.example/"},
		"plain http":               {"https://", "http://"},
		"a name before the host":   {"https://", "https://cloudformation@evil.example/"},
	} {
		t.Run(name, func(t *testing.T) {
			url := strings.Replace(genuine, change[0], change[1], 1)
			h := &fake{}
			_, err := dispatcher(h).Invoke(t.Context(), created(object{"ResponseURL": url})())
			if err == nil || len(calls(h)) > 0 {
				t.Errorf("Invoke: %v, calls: %v", err, calls(h))
			}
			if err != nil && strings.Contains(err.Error(), "Signature") {
				t.Errorf("the error holds the signature: %v", err)
			}
		})
	}
}
