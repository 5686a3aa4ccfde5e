package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// An inAccount is the topic and the queue in an account, by which the requests come.
type inAccount struct {
	topics *sns.Client
	queues *sqs.Client
	topic  string
	queue  string
}

// names of the topic and of the queue; native resources of stacks begin so as well.
const (
	topicName = prefix + "requests"
	queueName = prefix + "requests"
)

// openAccount makes the topic and the queue in the account that is named, and nowhere else.
func openAccount(ctx context.Context, id string) (*world, *inAccount, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRetryMode(aws.RetryModeAdaptive), config.WithRetryMaxAttempts(maxAttempts))
	if err != nil {
		return nil, nil, err
	}
	who, err := sts.NewFromConfig(c).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, nil, err
	}
	if aws.ToString(who.Account) != id {
		return nil, nil, errors.New("the credentials are of another account than -account names")
	}
	a := &inAccount{topics: sns.NewFromConfig(c), queues: sqs.NewFromConfig(c)}
	topic, err := a.topics.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String(topicName)})
	if err != nil {
		return nil, nil, err
	}
	a.topic = *topic.TopicArn
	queue, err := a.queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(queueName)})
	if err != nil {
		return nil, nil, errors.Join(err, a.close(ctx))
	}
	a.queue = *queue.QueueUrl
	if err := a.subscribe(ctx); err != nil {
		return nil, nil, errors.Join(err, a.close(ctx))
	}
	w := &world{topic: a.topic, second: time.Second, poll: 5 * time.Second, patience: 2 * time.Minute, limit: time.Hour}
	w.client = cloudformation.NewFromConfig(c, w.counted)
	return w, a, nil
}

// maxAttempts is how often a call is made that is throttled, with pauses of up to 20 seconds.
const maxAttempts = 20

// subscribe lets the topic send to the queue, and nobody else.
func (a *inAccount) subscribe(ctx context.Context) error {
	got, err := a.queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &a.queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn}})
	if err != nil {
		return err
	}
	arn := got.Attributes["QueueArn"]
	policy, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
		"Effect": "Allow", "Principal": map[string]string{"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": arn,
		"Condition": map[string]any{"ArnEquals": map[string]string{"aws:SourceArn": a.topic}}}}})
	if err != nil {
		return err
	}
	if _, err := a.queues.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: &a.queue, Attributes: map[string]string{"Policy": string(policy)}}); err != nil {
		return err
	}
	_, err = a.topics.Subscribe(ctx, &sns.SubscribeInput{TopicArn: &a.topic, Protocol: aws.String("sqs"), Endpoint: &arn})
	return err
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
			var sent struct{ MessageId, Message string }
			if err := json.Unmarshal([]byte(*m.Body), &sent); err != nil {
				r.report(errors.New("the queue has a message that is none of a topic"))
			} else {
				go func() {
					if err := r.message(ctx, sent.MessageId, sent.Message); err != nil && ctx.Err() == nil {
						r.report(err)
					}
				}()
			}
			if _, err := a.queues.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &a.queue, ReceiptHandle: m.ReceiptHandle}); err != nil && ctx.Err() == nil {
				r.report(fmt.Errorf("the queue: %w", err))
			}
		}
	}
}

// close removes the topic and the queue, and what policies of scenarios have kept.
func (a *inAccount) close(ctx context.Context) (err error) {
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
