package physicalid_test

import (
	"fmt"

	"github.com/cfnresource/sdk-go/physicalid"
)

const exampleStack = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/8f3c1b60-6b52-11f0-9c1d-0a58a9feac02"

// The same stack, logical ID and identity make the same ID, everywhere and for ever.
func ExampleStable() {
	id := physicalid.Stable(exampleStack, "Topic", "orders", 0)
	fmt.Println(id, id == physicalid.Stable(exampleStack, "Topic", "orders", 0))
	fmt.Println(id == physicalid.Stable(exampleStack, "Topic", "invoices", 0))
	// Output:
	// shop-topic-jc7g7xkkznikzfwm true
	// false
}

// The ID that CloudFormation makes up where no answer to a Create was read.
func ExampleGenerated() {
	fmt.Println(physicalid.Generated("shop-Topic-1CSUXRDAWQ7WW", exampleStack, "Topic"))
	fmt.Println(physicalid.Generated(physicalid.Stable(exampleStack, "Topic", "", 0), exampleStack, "Topic"))
	// Output:
	// true
	// false
}

func ExampleStackName() {
	fmt.Println(physicalid.StackName(exampleStack))
	// Output: shop
}

// What an answer may hold as its physical ID.
func ExampleValidate() {
	fmt.Println(physicalid.Validate("topic-1"))
	fmt.Println(physicalid.Validate("") != nil, physicalid.Validate(physicalid.NotCreated) != nil)
	// Output:
	// <nil>
	// true true
}
