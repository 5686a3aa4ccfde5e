module github.com/cfnresource/sdk-go/bench

go 1.26

require (
	github.com/aws/aws-lambda-go v1.55.1
	github.com/cfnresource/sdk-go v0.0.0
)

require github.com/google/uuid v1.6.0 // indirect

replace github.com/cfnresource/sdk-go => ../
