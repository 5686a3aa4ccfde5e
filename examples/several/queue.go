package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

type QueueProps struct {
	_ struct{} `doc:"A queue of a RabbitMQ broker."`

	VirtualHost string        `cfn:"createOnly,required" doc:"The virtual host that it is in."`
	Type        QueueType     `cfn:"createOnly,default=classic" doc:"A queue cannot become one of another type."`
	MaxLength   int           `doc:"How many messages it holds. Zero is no limit."`
	MessageTTL  time.Duration `json:"MessageTtl" doc:"How long it holds a message, such as 24h. Zero is for ever."`
}

// A QueueType is what a queue is. A schema says which there are.
type QueueType string

func (QueueType) DescribeProperty(p *schema.Property) { p.Enum = []any{"classic", "quorum"} }

// Validate is called before anything is made or changed.
func (p QueueProps) Validate() error {
	if p.Type != "classic" && p.Type != "quorum" {
		return errors.New("Type is neither classic nor quorum")
	}
	if p.MaxLength < 0 || p.MessageTTL < 0 {
		return errors.New("MaxLength or MessageTtl is negative")
	}
	return nil
}

type QueueData struct {
	Name string `doc:"The queue's name. !Ref reads the virtual host and the name."`
}

// A Queue manages queues. What a queue is made with is fixed, so what may change
// is in a policy of the same name. A queue's physical ID is VHOST/NAME: a Delete
// has to know the virtual host, also when the properties cannot be read.
type Queue struct{ broker *Broker }

func (q *Queue) Create(ctx context.Context, req *cfnresource.CreateRequest[QueueProps]) (QueueData, error) {
	id := req.Properties.VirtualHost + "/" + req.StableID()
	made, err := q.declare(ctx, id, req.Properties)
	if err != nil {
		return QueueData{}, err
	}
	if !made {
		return QueueData{}, cfnresource.AlreadyExists(id) // Find knows it: made by an earlier delivery
	}
	req.Created(id)
	return QueueData{Name: req.StableID()}, q.limit(ctx, id, req.Properties)
}

func (q *Queue) Update(ctx context.Context, req *cfnresource.UpdateRequest[QueueProps]) (QueueData, error) {
	vhost, name := split(req.PhysicalID)
	if req.IdentityChanged && vhost != req.Properties.VirtualHost { // somebody has removed the queue: no other takes its place
		return QueueData{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "the queue %s does not exist, and is not moved", req.PhysicalID)
	}
	if _, err := q.declare(ctx, req.PhysicalID, req.Properties); err != nil {
		return QueueData{}, err
	}
	return QueueData{Name: name}, q.limit(ctx, req.PhysicalID, req.Properties)
}

// Delete removes a queue with its messages. The policy goes first: what is
// found is what is left to do.
func (q *Queue) Delete(ctx context.Context, req *cfnresource.DeleteRequest[QueueProps]) error {
	vhost, name := split(req.PhysicalID)
	if vhost == "" {
		return nil // no queue of ours has such an ID
	}
	if err := q.broker.remove(ctx, "policies", vhost, name); err != nil {
		return err
	}
	return q.broker.remove(ctx, "queues", vhost, name)
}

// Find implements [cfnresource.Finder]. The properties say where the queue is, so
// there is nothing to search.
func (q *Queue) Find(ctx context.Context, req *cfnresource.FindRequest[QueueProps]) (physicalID string, err error) {
	vhost, name := req.Properties.VirtualHost, req.StableID()
	if vhost == "" {
		return "", nil
	}
	if there, err := q.broker.has(ctx, "queues", vhost, name); !there {
		return "", err
	}
	return vhost + "/" + name, nil
}

// declare makes a queue, or finds that it is there as it should be.
func (q *Queue) declare(ctx context.Context, id string, p QueueProps) (made bool, err error) {
	vhost, name := split(id)
	if vhost == "" {
		return false, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the physical ID is not of the form VHOST/NAME: another program made this resource")
	}
	return q.broker.put(ctx, map[string]any{
		"durable":   true,
		"arguments": map[string]any{"x-queue-type": p.Type},
	}, "queues", vhost, name)
}

// limit sets what may change of a queue.
func (q *Queue) limit(ctx context.Context, id string, p QueueProps) error {
	vhost, name := split(id)
	limits := make(map[string]any)
	if p.MaxLength > 0 {
		limits["max-length"] = p.MaxLength
	}
	if p.MessageTTL > 0 {
		limits["message-ttl"] = p.MessageTTL.Milliseconds()
	}
	if len(limits) == 0 { // the broker takes no empty policy
		return q.broker.remove(ctx, "policies", vhost, name)
	}
	_, err := q.broker.put(ctx, map[string]any{
		"pattern":    "^" + name + "$",
		"apply-to":   "queues",
		"definition": limits,
	}, "policies", vhost, name)
	return err
}

// split returns the parts of a physical ID, or nothing if it is another
// program's. A virtual host may have slashes in its name, a queue's has none.
func split(id string) (vhost, name string) {
	i := strings.LastIndexByte(id, '/')
	if i < 0 {
		return "", ""
	}
	return id[:i], id[i+1:]
}
