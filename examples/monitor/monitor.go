package main

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	_ struct{} `doc:"Checks a URL, and notifies somebody when it does not answer."`

	URL     string `json:"Url" cfn:"createOnly,required" doc:"The URL to check, with https. Another URL makes another monitor."`
	Seconds int    `cfn:"required" doc:"The seconds between two checks, from 30 to 3600."`
	Email   string `cfn:"required" doc:"Whom the alert notifies."`
}

// Validate is called before anything is made or changed.
func (p Props) Validate() error {
	switch u, err := url.Parse(p.URL); {
	case err != nil || u.Scheme != "https" || u.Host == "":
		return errors.New("Url is not of the form https://HOST/PATH")
	case p.Seconds < 30 || p.Seconds > 3600:
		return errors.New("Seconds is not between 30 and 3600")
	case !strings.Contains(p.Email, "@"):
		return errors.New("Email is not of the form NAME@HOST")
	}
	return nil
}

type Data struct {
	RuleID string `json:"RuleId" doc:"The number of the alert rule."`
}

// A Monitor manages monitors that have an alert rule each. The physical ID is the
// monitor's number, since the monitor is made first: the rule is found from it.
// The monitor is labelled with the StableID, by which Find leads back to it.
type Monitor struct{ api *api }

// label is the name of the label that says whose a monitor is.
const label = "cloudformation"

// listsLag says how long after a monitor was made the API's lists may not show it.
func listsLag(o *cfnresource.Options) { o.FindLag = 15 * time.Second }

func (m *Monitor) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	wanted := settings(req.Properties)
	wanted.Labels = map[string]string{label: req.StableID()}
	made, err := m.api.createMonitor(ctx, req.IdempotencyToken(), wanted)
	if err != nil {
		return Data{}, err
	}
	id := strconv.Itoa(made.ID)
	req.Created(id)
	return m.finish(ctx, id, req.Properties)
}

func (m *Monitor) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	wanted := settings(req.Properties)
	if !req.IdentityChanged {
		wanted.Labels = map[string]string{label: req.StableID()} // so that Find knows it, whoever made it
	}
	if err := m.api.changeMonitor(ctx, req.PhysicalID, wanted); err != nil {
		return Data{}, err
	}
	return m.finish(ctx, req.PhysicalID, req.Properties)
}

// Delete removes the rule first: once the monitor is gone, nothing would lead to
// it. The API refuses to delete a monitor that has a rule which the list does not
// show yet, with 409, and the dispatcher tries again.
func (m *Monitor) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	rules, err := m.api.rulesOf(ctx, req.PhysicalID)
	if err != nil {
		return err
	}
	for _, r := range rules {
		if err := m.api.removeRule(ctx, r.ID); err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
			return err
		}
	}
	return m.api.removeMonitor(ctx, req.PhysicalID) // CodeNotFound if it is gone
}

// Find implements [cfnresource.Finder].
func (m *Monitor) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	if mine, err := m.isLabelled(ctx, req.PhysicalID, req.StableID()); mine || err != nil {
		return req.PhysicalID, err
	}
	found, err := m.api.labelled(ctx, label, req.StableID())
	for _, f := range found {
		id := strconv.Itoa(f.ID)
		if mine, err := m.isLabelled(ctx, id, req.StableID()); mine || err != nil {
			return id, err
		}
	}
	return "", err
}

// isLabelled reports whether there is a monitor of that ID, and it bears the StableID. A list may
// show one that is deleted, and an ID may be one that CloudFormation made up.
func (m *Monitor) isLabelled(ctx context.Context, id, stableID string) (bool, error) {
	if _, err := strconv.Atoi(id); err != nil {
		return false, nil //nolint:nilerr // made up, or none
	}
	got, err := m.api.monitor(ctx, id)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		return false, nil
	}
	return err == nil && got.Labels[label] == stableID, err
}

// finish waits until a monitor is active, and gives it its rule.
func (m *Monitor) finish(ctx context.Context, id string, props Props) (data Data, err error) {
	var got monitor
	err = cfnresource.Poll(ctx, 5*time.Second, func(ctx context.Context) (active bool, err error) {
		got, err = m.api.monitor(ctx, id)
		return got.State == "active", err
	})
	if err != nil {
		return data, err
	}
	err = cfnresource.Retry(ctx, func(ctx context.Context) error {
		made, err := m.setRule(ctx, got.ID, props.Email)
		data.RuleID = strconv.Itoa(made.ID)
		return err
	})
	return data, err
}

// setRule changes the rule of a monitor, or makes it. Where there is one that the
// list does not show yet, the API answers 409, and Retry tries again.
func (m *Monitor) setRule(ctx context.Context, monitor int, email string) (rule, error) {
	wanted := rule{Monitor: monitor, Email: email}
	rules, err := m.api.rulesOf(ctx, strconv.Itoa(monitor))
	if err != nil {
		return rule{}, err
	}
	for _, r := range rules {
		changed, err := m.api.changeRule(ctx, r.ID, wanted)
		if cfnresource.CodeOf(err) != cfnresource.CodeNotFound { // the list shows one that is gone
			return changed, err
		}
	}
	return m.api.createRule(ctx, wanted)
}

func settings(p Props) monitor { return monitor{URL: p.URL, Seconds: p.Seconds} }
