package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/cfnresource/sdk-go/response"
)

// An inAccount is the topic and the queue in an account, by which the requests come.
type inAccount struct {
	*world
	topics *sns.Client
	queues *sqs.Client
	queue  string
	stop   context.CancelFunc // ends receiving; nil before anything is made
}

// ourName is the topic's and the queue's. Those of native resources of stacks begin so as well.
const ourName = prefix + "requests"

// maxAttempts is how often a call is made that is throttled, with pauses of up to 20 seconds.
const maxAttempts = 20

// accountWorld is what a world in an account is; a test's account has another clock, and URLs of its own.
var accountWorld = func(region string) *world {
	return &world{to: response.NewSender(region, response.SenderOptions{}).Check, second: time.Second, poll: 5 * time.Second, patience: 2 * time.Minute, limit: time.Hour}
}

// openAccount takes the account that is named, and no other. It makes nothing there.
func openAccount(ctx context.Context, id string) (*inAccount, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRetryer(func() aws.Retryer {
		return retry.AddWithErrorCodes(retry.AddWithMaxAttempts(retry.NewAdaptiveMode(), maxAttempts), deletedRecently...)
	}))
	if err != nil {
		return nil, err
	}
	who, err := sts.NewFromConfig(c).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, err
	}
	if aws.ToString(who.Account) != id {
		return nil, errors.New("the credentials are of another account than -account names")
	}
	a := &inAccount{world: accountWorld(c.Region), topics: sns.NewFromConfig(c), queues: sqs.NewFromConfig(c)}
	a.client = cloudformation.NewFromConfig(c, a.counted)
	return a, nil
}

// deletedRecently are the codes with which SQS refuses a queue for a minute after one of the same
// name was deleted.
var deletedRecently = []string{"QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently"}

// begin makes the topic and the queue, or takes those that a killed run has left, and receives.
func (a *inAccount) begin(ctx context.Context, r *router) error {
	receiving, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.stop = stop
	topic, err := a.topics.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String(ourName)})
	if err != nil {
		return err
	}
	a.topic = *topic.TopicArn
	arn := strings.Replace(a.topic, ":sns:", ":sqs:", 1)
	// It has its policy from the beginning: one that is set later holds after up to a minute.
	policy, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
		"Effect": "Allow", "Principal": map[string]string{"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": arn,
		"Condition": map[string]any{"ArnEquals": map[string]string{"aws:SourceArn": a.topic}}}}})
	if err != nil {
		return err
	}
	queue, err := a.queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(ourName), Attributes: map[string]string{"Policy": string(policy)}})
	if _, there := errors.AsType[*types.QueueNameExists](err); there {
		var found *sqs.GetQueueUrlOutput
		if found, err = a.queues.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String(ourName)}); err == nil {
			queue = &sqs.CreateQueueOutput{QueueUrl: found.QueueUrl}
		}
	}
	if err != nil {
		return err
	}
	a.queue = *queue.QueueUrl
	if _, err := a.topics.Subscribe(ctx, &sns.SubscribeInput{TopicArn: &a.topic, Protocol: aws.String("sqs"), Endpoint: &arn}); err != nil {
		return err
	}
	go a.receive(receiving, r)
	return nil
}

// receive takes what comes until ctx ends.
func (a *inAccount) receive(ctx context.Context, r *router) {
	for ctx.Err() == nil {
		out, err := a.queues.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &a.queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 20})
		if err != nil {
			if ctx.Err() == nil {
				r.report(fmt.Errorf("the queue: %w", err))
				_ = sleep(ctx, time.Second)
			}
			continue
		}
		for _, m := range out.Messages {
			// Each on its own: one that waits for its time must not keep the others.
			go func() {
				if err := a.handle(ctx, r, m); err != nil && ctx.Err() == nil {
					r.report(err)
				}
			}()
		}
	}
}

// handle handles a message, and deletes it then: one that a killed run has not answered is there
// for clean, which answers it.
func (a *inAccount) handle(ctx context.Context, r *router, m types.Message) error {
	var sent struct{ MessageId, Message string }
	handled := true
	err := json.Unmarshal([]byte(aws.ToString(m.Body)), &sent)
	if err != nil {
		err = errors.New("the queue has a message that is none of a topic")
	} else {
		handled, err = r.message(ctx, sent.MessageId, sent.Message)
	}
	if !handled || ctx.Err() != nil {
		return err
	}
	_, deleted := a.queues.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &a.queue, ReceiptHandle: m.ReceiptHandle})
	return errors.Join(err, deleted)
}

// close removes the topic and the queue, and what policies of scenarios have kept.
func (a *inAccount) close(ctx context.Context) (err error) {
	if a.stop == nil {
		return nil
	}
	// One that cannot be deleted keeps no other: what went wrong is told in the end.
	a.stop()
	topics := sns.NewListTopicsPaginator(a.topics, &sns.ListTopicsInput{})
	for topics.HasMorePages() {
		page, listed := topics.NextPage(ctx)
		if listed != nil {
			return errors.Join(err, listed)
		}
		for _, t := range page.Topics {
			if isOurs(*t.TopicArn) {
				_, gone := a.topics.DeleteTopic(ctx, &sns.DeleteTopicInput{TopicArn: t.TopicArn})
				err = errors.Join(err, gone)
			}
		}
	}
	queues := sqs.NewListQueuesPaginator(a.queues, &sqs.ListQueuesInput{QueueNamePrefix: aws.String(prefix), MaxResults: aws.Int32(1000)})
	for queues.HasMorePages() {
		page, listed := queues.NextPage(ctx)
		if listed != nil {
			return errors.Join(err, listed)
		}
		for _, url := range page.QueueUrls {
			_, gone := a.queues.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: &url})
			err = errors.Join(err, gone)
		}
	}
	return err
}

// isOurs reports whether a topic's ARN is of one that the probe, or a stack of it, has made.
func isOurs(arn string) bool {
	parts := strings.Split(arn, ":")
	return len(parts) == 6 && strings.HasPrefix(parts[5], prefix)
}
