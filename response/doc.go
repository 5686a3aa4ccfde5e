// Package response encodes the answer to a CloudFormation custom resource
// request and delivers it to the request's signed URL.
//
// Handlers written with package cfnresource never need it: the dispatcher answers for them. Used
// alone, it answers a request by hand, for example after a function died and left it hanging:
//
//	package main
//
//	import (
//		"context"
//		"encoding/json"
//		"log"
//		"os"
//
//		"github.com/cfnresource/sdk-go/response"
//	)
//
//	func main() {
//		var event struct{ ResponseURL, StackId, RequestId, LogicalResourceId string }
//		if err := json.NewDecoder(os.Stdin).Decode(&event); err != nil {
//			log.Fatal(err)
//		}
//		url, err := response.ParseURL(event.ResponseURL)
//		if err != nil {
//			log.Fatal(err)
//		}
//		body, err := response.Answer{
//			Status:             response.Failed,
//			Reason:             "Answered by hand: the function died.",
//			PhysicalResourceID: "not-created",
//			StackID:            event.StackId,
//			RequestID:          event.RequestId,
//			LogicalResourceID:  event.LogicalResourceId,
//		}.Encode()
//		if err != nil {
//			log.Fatal(err)
//		}
//		sender := response.NewSender(os.Getenv("AWS_REGION"), response.SenderOptions{})
//		if err := sender.Send(context.Background(), url, body); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # The signed URL
//
// Whoever holds a request's ResponseURL can answer in the resource's name, for two hours. So no way
// of printing a [URL] shows its query, no method returns it, and no error of this package holds it.
// An [HTTPSender] sends answers only to CloudFormation's response bucket of one region, and to the
// hosts that its owner lists.
package response
