package play_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
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

// rebuildsForPassword empties a box whose password changes.
type rebuildsForPassword struct{ named }

func (h rebuildsForPassword) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.OldPropertiesErr == nil && req.OldProperties.Password != req.Properties.Password {
		err = h.d.change(ctx, req.PhysicalID, func(b *box) error { b.content = 0; return nil })
	}
	if err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

// restoresContent gives a box the content that it had when it was filled in this way.
type restoresContent struct{ named }

func (h restoresContent) Update(ctx context.Context, req *updating) (data boxData, err error) {
	err = h.d.change(ctx, req.PhysicalID, func(b *box) error {
		h.d.mails[fmt.Sprint(b.filling)] = b.content
		if content, there := h.d.mails[fmt.Sprint(req.Properties.filling())]; there {
			b.content = content
		}
		return nil
	})
	if err != nil {
		return data, err
	}
	return h.named.Update(ctx, req)
}

// keepsPasswords takes the change of a password for an invalid property.
type keepsPasswords struct{ named }

func (h keepsPasswords) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if req.OldPropertiesErr == nil && req.OldProperties.Password != req.Properties.Password {
		return data, &cfnresource.PropertyError{Path: "Password", Err: errors.New("cannot be changed")}
	}
	return h.named.Update(ctx, req)
}

// removesEmpty leaves no box behind that does not work, which succeeds with boxes of no size.
type removesEmpty struct{ named }

func (h removesEmpty) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if data, err = h.named.Update(ctx, req); err != nil && req.OldPropertiesErr == nil && req.OldProperties.Size == 0 {
		_ = h.d.remove(ctx, req.PhysicalID)
	}
	return data, err
}

// emptiesSoftly ignores the error of the call that empties a box.
type emptiesSoftly struct{ named }

func (h emptiesSoftly) Update(ctx context.Context, req *updating) (data boxData, err error) {
	if data, err = h.named.Update(ctx, req); req.Properties.Size == 0 {
		return req.Properties.data(), nil
	}
	return data, err
}

// takesDrafts writes what a box is to be before it fills it, and goes by a draft that is there.
type takesDrafts struct{ named }

func (h takesDrafts) Update(ctx context.Context, req *updating) (data boxData, err error) {
	to, draft, is := req.Properties.filling(), "draft of "+req.PhysicalID, false
	err = h.d.effect(ctx, func() error {
		if b := h.d.boxes[req.PhysicalID]; b != nil && b.filled {
			is = b.filling == to
		}
		if size, there := h.d.mails[draft]; there && !is {
			to.Size = size
		} else if !is {
			h.d.mails[draft] = to.Size
		}
		return nil
	})
	if err != nil || is {
		return req.Properties.data(), err
	}
	if err = h.d.fill(ctx, req.PhysicalID, to); err == nil {
		err = h.d.effect(ctx, func() error { delete(h.d.mails, draft); return nil })
	}
	return req.Properties.data(), gone(err)
}

// removesSlowly is a right handler of a service that takes its time.
type removesSlowly struct{ named }

func (h removesSlowly) Create(ctx context.Context, req *creation) (boxData, error) {
	<-time.After(6 * time.Second)
	return h.named.Create(ctx, req)
}

func (h removesSlowly) Delete(_ context.Context, req *deletion) error {
	time.AfterFunc(5*time.Second, func() { _ = h.d.remove(context.Background(), req.PhysicalID) })
	return nil
}

// varies returns the contract of a handler of which all changes of one property are played.
func varies[H cfnresource.Handler[boxProps, boxData]](wrong func(h named) H, name string) play.Contract {
	c := depotContract(func(d *depot) simulate.Function { return process(wrong(named{d})) })
	c.All, c.Fixed = true, slices.DeleteFunc([]string{"Room", "Size", "Frozen", "Password"}, func(other string) bool { return other == name })
	return c
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
	usedBySize := withService(varies(func(h named) named { return h }, "Size"), func(s *play.Service) {
		use, state := s.Use, s.State
		s.Use = func(id string) {
			if use(id); state(id).(look).Filling.Size == 0 {
				use(id)
			}
		}
	})
	for _, test := range []struct {
		name, check, says string // "" if the handler is right
		c                 play.Contract
	}{
		{"fillsUp", "leads-where-create-does", "", depotContract(func(d *depot) simulate.Function { return process(fillsUp{named{d}}) })}, // missed: no resource here has so many versions in its life
		{"findsRecent", "time-passes", "v0 2y v2", depotContract(func(d *depot) simulate.Function { return process(findsRecent{found{d}}) })},
		{"forcesUnread", "delete-undecodable-properties", "but a Delete with properties that can be read keeps it", depotContract(func(d *depot) simulate.Function { return process(forcesUnread{named{d}}) })},
		{"tellsItsName", "thing-of-before", "which does not exist: the resource is 2024/hall", ofBefore(func(d *depot) simulate.Function { return process(tellsItsName{movable{named{d}}}) })},
		{"cutsOldIDs", "leads-where-create-does", `"before v0[Room=endings] v0[Room=from:endings]"`, ofBefore(func(d *depot) simulate.Function { return process(cutsOldIDs{movable{named{d}}}) })},
		{"cutsOldIDs, of pointers", "leads-where-create-does", `"before v0[Room=endings] v0[Room=from:endings]"`, ofPointers},
		{"rebuildsForPassword", "leads-where-create-does", "use v0[Password=", varies(func(h named) rebuildsForPassword { return rebuildsForPassword{h} }, "Password")},
		{"restoresContent", "use-outlives-updates", `"v0 v1 use v0"`, depotContract(func(d *depot) simulate.Function { return process(restoresContent{named{d}}) })},
		{"named, used by size", "leads-where-create-does", "", usedBySize},
		{"keepsPasswords", "leads-where-create-does", "but a Create of the same properties succeeds", varies(func(h named) keepsPasswords { return keepsPasswords{h} }, "Password")},
		{"removesEmpty", "leads-where-create-does", "v0[Size=left-out] v0!fail-at-step:2@1", varies(func(h named) removesEmpty { return removesEmpty{h} }, "Size")},
		{"emptiesSoftly", "leads-where-create-does", `"v0 v0[Size=left-out]!fail-at-step:1@1"`, varies(func(h named) emptiesSoftly { return emptiesSoftly{h} }, "Size")},
		{"takesDrafts", "leads-where-create-does", "v0 v1!fail-at-step:2@1 v0[Size=", varies(func(h named) takesDrafts { return takesDrafts{h} }, "Size")},
		{"removesSlowly", "delete-undecodable-properties", "", depotContract(func(d *depot) simulate.Function { return process(removesSlowly{named{d}}) })},
		{"copiesContent", "use-outlives-updates", "", depotContract(func(d *depot) simulate.Function { return process(copiesContent{named{d}}) })},
	} {
		if text, outcome := play.RunCheck(t, test.c, test.check); !strings.Contains(text, test.says) || test.says == "" && text != "" {
			t.Errorf("%s, %s: it %s, and says %q, want %q", test.name, test.check, outcome, text, test.says)
		}
	}
}
