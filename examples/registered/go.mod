module github.com/cfnresource/sdk-go/examples/registered

go 1.26

require (
	github.com/aws/aws-lambda-go v1.55.1
	github.com/cfnresource/sdk-go v0.0.0
	github.com/cfnresource/sdk-go/registry v0.0.0
	github.com/google/go-cmp v0.7.0
)

require (
	github.com/aws/aws-sdk-go-v2 v1.47.6 // indirect
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.26 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.9 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.9 // indirect
	github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs v1.91.1 // indirect
	github.com/aws/smithy-go v1.28.8 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/cfnresource/sdk-go => ../..

replace github.com/cfnresource/sdk-go/registry => ../../registry
