module github.com/cfnresource/sdk-go/test/probe

go 1.26

require github.com/cfnresource/sdk-go v0.0.0

require (
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

replace github.com/cfnresource/sdk-go => ../..
