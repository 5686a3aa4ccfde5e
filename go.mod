module github.com/cfnresource/sdk-go

go 1.26

require github.com/google/uuid v1.6.0

require (
	github.com/aws/aws-lambda-go v1.55.1 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
)
