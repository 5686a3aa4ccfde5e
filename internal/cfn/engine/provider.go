package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A provider defines the requests to the handlers of a type and the reading of their
// answers. There are two: one for custom resources and one for registered types.
// Types without a provider are stand-ins or nested stacks.
type provider interface {
	// resolve makes a resource's properties what is sent.
	resolve(t *Resource, values map[string]any) (resolved, error)
	// address completes a request: whom it is for, and how long the answer is waited for.
	address(q *Request, r *StackResource, o *Options)
	// judge reads an answer. The outcome is Pending if that is not the last one.
	judge(q *Request, answer []byte, o *Options) verdict
	// timeout is the reason in the row of a request that nobody answered.
	timeout(q *Request) string
	// replaces reports whether it is CloudFormation that replaces the resource, by
	// a Create, when its properties change as they do.
	replaces(r *StackResource) bool
	// attribute is what Fn::GetAtt gives.
	attribute(s *Stack, r *StackResource, name string) (any, error)
}

func (m *Machine) provider(typ string) provider {
	if IsCustomResource(typ) {
		return customResource{}
	}
	if t := m.top.Types[typ]; t != nil {
		return t
	}
	return nil
}

func (m *Machine) providerOf(q *Request) provider {
	if p := m.provider(q.Type); p != nil {
		return p
	}
	return customResource{}
}

func (m *Machine) registered(typ string) bool {
	return !IsCustomResource(typ) && m.provider(typ) != nil
}

// customResource is the provider of custom resources: a function gets an event,
// and PUTs its answer.
type customResource struct{}

func (customResource) resolve(t *Resource, values map[string]any) (res resolved, err error) {
	if res.properties, err = marshalProperties(values); err != nil {
		return res, err
	}
	if res.token, _ = values["ServiceToken"].(string); res.token == "" {
		return res, errors.New("Properties validation failed for resource " + t.LogicalID + ": ServiceToken is required") // [?] that it is required is [D]
	}
	if v, ok := values["ServiceTimeout"]; ok {
		res.timeout, _ = scalar(v)
		if n, err := strconv.Atoi(res.timeout); err != nil || n < 1 || n > 3600 { // [D] the range, [?] the text
			return res, errors.New("Properties validation failed for resource " + t.LogicalID + ": ServiceTimeout must be a number of seconds from 1 to 3600")
		}
	}
	return res, nil
}

func (customResource) address(q *Request, r *StackResource, o *Options) {
	q.ServiceToken = r.ServiceToken
	seconds := 3600 // [D]
	if r.ServiceTimeout != "" {
		seconds, _ = strconv.Atoi(r.ServiceTimeout) // checked when it was resolved
		if !o.NoTopServiceTimeout {
			q.ServiceTimeout = r.ServiceTimeout
		}
	}
	q.Deadline = q.SentAt.Add(time.Duration(seconds) * time.Second)
}

// replaces: the handler's answer says so, by another physical ID [D].
func (customResource) replaces(*StackResource) bool { return false }

// attribute looks an attribute up in the Data of the latest answer, under the whole name: a.b is
// not b in a [O]. One that is absent is the error of whoever asked [O].
func (customResource) attribute(s *Stack, r *StackResource, name string) (any, error) {
	if v := r.Attributes[name]; v != nil {
		return v, nil
	}
	missing := &MissingAttributeError{Name: name, reason: fmt.Sprintf("CustomResource attribute error: Vendor response doesn't contain %s attribute in object %s|%s|%s", name, s.ID, r.LogicalID, r.AnsweredTo)}
	for known, v := range r.Attributes {
		if v != nil {
			missing.Answered = append(missing.Answered, known)
		}
	}
	slices.Sort(missing.Answered)
	return nil, missing
}

// A MissingAttributeError tells that the answer of a custom resource has no attribute of a name.
type MissingAttributeError struct {
	Name     string
	Answered []string // the names that the answer has, sorted, which no reason of CloudFormation tells
	reason   string
}

// Error is CloudFormation's reason.
func (e *MissingAttributeError) Error() string { return e.reason }
