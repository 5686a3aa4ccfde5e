package play_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// What these handlers do wrong shows in what has a past: many updates, years, users, or a program before them.

// fillsUp keeps what a box was, and there is an end to that.
type fillsUp struct{ named }

func (h fillsUp) Update(ctx context.Context, req *updating) (data boxData, err error) {
	err = h.d.effect(ctx, func() error {
		if h.d.mails[fmt.Sprint(req.Properties)] = 1; len(h.d.mails) > 20 {
			return errors.New("a box has no more than twenty versions")
		}
		return nil
	})
	if err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

// findsRecent does not take for its own what it made long ago.
type findsRecent struct{ found }

func (h findsRecent) Find(ctx context.Context, req *finding) (string, error) {
	if sinceBubble() > 30*24*time.Hour {
		return "", nil
	}
	return h.found.Find(ctx, req)
}

// forcesUnread refuses to remove what somebody has put into a box, if it can read the properties.
type forcesUnread struct{ named }

func (h forcesUnread) Delete(ctx context.Context, req *deletion) error {
	full, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.content > 0 })
	if err == nil && full != "" && req.PropertiesErr == nil {
		err = errors.New("there is something in the box")
	}
	if err != nil {
		return err
	}
	return h.named.Delete(ctx, req)
}

// tellsItsName returns the name that it would give.
type tellsItsName struct{ movable }

func (h tellsItsName) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.movable.Update(ctx, req)
	return boxData{Key: "https://depot.example.com/" + req.StableID()}, err
}

// cutsOldIDs takes what follows the last slash of an ID for the room, in which there may be one.
type cutsOldIDs struct{ movable }

func (h cutsOldIDs) Delete(ctx context.Context, req *deletion) error {
	if old, is := strings.CutPrefix(req.PhysicalID, "2024/"); is {
		return gone(h.d.remove(ctx, "2024/"+old[strings.LastIndex(old, "/")+1:]))
	}
	return h.movable.Delete(ctx, req)
}

// copiesContent is a right handler: a replacement has what users have put into the box before.
type copiesContent struct{ named }

func (h copiesContent) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if data, err = h.named.Create(ctx, req); err != nil || req.Replaces == "" {
		return data, err
	}
	return data, h.d.change(ctx, req.StableID(), func(b *box) error {
		if old := h.d.boxes[req.Replaces]; old != nil {
			b.content = old.content
		}
		return nil
	})
}

func TestWhatHasAPastShowsMore(t *testing.T) {
	ofBefore := func(function func(d *depot) simulate.Function) play.Contract {
		c := depotContract(function)
		withBefore(function)(&c)
		return c
	}
	ofPointers := ofBefore(func(d *depot) simulate.Function { return process(cutsOldIDs{movable{named{d}}}) })
	for _, props := range []*any{&ofPointers.Properties, &ofPointers.InPlace, &ofPointers.Replacing} {
		p := (*props).(boxProps)
		*props = &p
	}
	ofPointers = withService(ofPointers, func(s *play.Service) {
		of := s.Before
		s.Before = func(props any) string { return of(*props.(*boxProps)) }
	})
	for _, test := range []struct {
		name, check, says string // "" if the handler is right
		c                 play.Contract
	}{
		{"fillsUp", "leads-where-create-does", "no more than twenty versions", depotContract(func(d *depot) simulate.Function { return process(fillsUp{named{d}}) })},
		{"findsRecent", "time-passes", "v0 2y v2", depotContract(func(d *depot) simulate.Function { return process(findsRecent{found{d}}) })},
		{"forcesUnread", "delete-undecodable-properties", "was deleted with what users have put into it", depotContract(func(d *depot) simulate.Function { return process(forcesUnread{named{d}}) })},
		{"tellsItsName", "thing-of-before", "which does not exist: the resource is 2024/hall", ofBefore(func(d *depot) simulate.Function { return process(tellsItsName{movable{named{d}}}) })},
		{"cutsOldIDs", "leads-where-create-does", `"before v0[Room=slash] v0"`, ofBefore(func(d *depot) simulate.Function { return process(cutsOldIDs{movable{named{d}}}) })},
		{"cutsOldIDs, of pointers", "leads-where-create-does", `"before v0[Room=slash] v0"`, ofPointers},
		{"copiesContent", "use-outlives-updates", "", depotContract(func(d *depot) simulate.Function { return process(copiesContent{named{d}}) })},
	} {
		if text, outcome := play.RunCheck(t, test.c, test.check); !strings.Contains(text, test.says) || test.says == "" && text != "" {
			t.Errorf("%s, %s: it %s, and says %q, want %q", test.name, test.check, outcome, text, test.says)
		}
	}
}
