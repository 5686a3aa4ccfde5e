package sam

import (
	"iter"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// A kind is a type of SAM: the plain type that its resources become, its properties, with ! if SAM requires them, those
// of its stage, if it has one, and those that Globals may hold: all but these, if it begins with -.
type kind struct{ plain, properties, stage, global string }

// kinds are the types of SAM by their last names, as its translator has them (aws/serverless-application-model,
// May 2026, "AWS SAM resources and properties").
var kinds = map[string]kind{
	"Api": {
		"AWS::ApiGateway::RestApi",
		`AccessLogSetting AlwaysDeploy ApiKeySourceType Auth BinaryMediaTypes CacheClusterEnabled CacheClusterSize CanarySetting Cors DefinitionBody
		DefinitionUri Description DisableExecuteApiEndpoint Domain EndpointAccessMode EndpointConfiguration FailOnWarnings GatewayResponses
		MergeDefinitions MethodSettings MinimumCompressionSize Mode Models Name OpenApiVersion Policy PropagateTags SecurityPolicy StageName! Tags
		TracingEnabled Variables`,
		"AccessLogSetting CacheClusterEnabled CacheClusterSize CanarySetting MethodSettings TracingEnabled Variables",
		`-ApiKeySourceType DefinitionBody Description DisableExecuteApiEndpoint FailOnWarnings Mode Models Policy StageName Tags`,
	},
	"Application": {
		"AWS::CloudFormation::Stack", "Location! NotificationARNs Parameters Tags TemplateUrl TimeoutInMinutes", "", "",
	},
	"CapacityProvider": {
		"AWS::Lambda::CapacityProvider",
		"CapacityProviderName InstanceRequirements KmsKeyArn OperatorRole PropagateTags ScalingConfig Tags VpcConfig!", "", "-CapacityProviderName",
	},
	"Connector": {
		"AWS::IAM::ManagedPolicy", "Destination! Permissions! Source!", "", "",
	},
	"Function": {
		"AWS::Lambda::Function",
		`Architectures AssumeRolePolicyDocument AutoPublishAlias AutoPublishAliasAllProperties AutoPublishCodeSha256 CapacityProviderConfig
		CodeSigningConfigArn CodeUri DeadLetterQueue DeploymentPreference Description DurableConfig Environment EphemeralStorage EventInvokeConfig
		Events FileSystemConfigs FunctionName FunctionScalingConfig FunctionUrlConfig Handler ImageConfig ImageUri InlineCode KmsKeyArn Layers
		LoggingConfig MemorySize PackageType PermissionsBoundary Policies PropagateTags ProvisionedConcurrencyConfig PublishToLatestPublished
		RecursiveLoop ReservedConcurrentExecutions Role RolePath Runtime RuntimeManagementConfig SnapStart SourceKMSKeyArn Tags TenancyConfig
		Timeout Tracing VersionDeletionPolicy VersionDescription VpcConfig`,
		"", "-AutoPublishCodeSha256 Events FunctionName ImageConfig ImageUri InlineCode PackageType Policies Role VersionDescription",
	},
	"GraphQLApi": {
		"AWS::AppSync::GraphQLApi", `ApiKeys Auth! Cache DataSources DomainName EnhancedMetricsConfig Functions IntrospectionConfig Logging Name
		OwnerContact QueryDepthLimit Resolvers ResolverCountLimit SchemaInline SchemaUri Tags Visibility XrayEnabled`, "", "",
	},
	"HttpApi": {
		"AWS::ApiGatewayV2::Api",
		`AccessLogSettings Auth CorsConfiguration DefaultRouteSettings DefinitionBody DefinitionUri Description DisableExecuteApiEndpoint Domain
		FailOnWarnings Name PropagateTags RouteSettings StageName StageVariables Tags`,
		"AccessLogSettings DefaultRouteSettings RouteSettings StageVariables",
		"-DefinitionBody DefinitionUri Description DisableExecuteApiEndpoint Name StageName",
	},
	"LayerVersion": {
		"AWS::Lambda::LayerVersion",
		"CompatibleArchitectures CompatibleRuntimes ContentUri! Description LayerName LicenseInfo PublishLambdaVersion RetentionPolicy", "",
		"-CompatibleArchitectures CompatibleRuntimes ContentUri Description LayerName LicenseInfo RetentionPolicy",
	},
	"SimpleTable": {
		"AWS::DynamoDB::Table", "PointInTimeRecoverySpecification PrimaryKey ProvisionedThroughput SSESpecification TableName Tags", "",
		"-PointInTimeRecoverySpecification PrimaryKey ProvisionedThroughput TableName Tags",
	},
	"StateMachine": {
		"AWS::StepFunctions::StateMachine",
		`AutoPublishAlias Definition DefinitionSubstitutions DefinitionUri DeploymentPreference Events Logging Name PermissionsBoundary Policies
		PropagateTags Role RolePath Tags Tracing Type UseAliasAsEventTarget`, "",
		`-AutoPublishAlias Definition DefinitionSubstitutions DefinitionUri DeploymentPreference Events Logging Name PermissionsBoundary Policies
		Role RolePath Tags Tracing Type UseAliasAsEventTarget`,
	},
	"WebSocketApi": {
		"AWS::ApiGatewayV2::Api",
		`AccessLogSettings ApiKeySelectionExpression Auth DefaultRouteSettings Description DisableExecuteApiEndpoint DisableSchemaValidation Domain
		FailOnWarnings IpAddressType Name PropagateTags Routes! RouteSelectionExpression! RouteSettings StageName StageVariables Tags`,
		"AccessLogSettings DefaultRouteSettings RouteSettings StageVariables", "-Auth Description Name Routes StageName",
	},
}

// prefix is what the types of SAM begin with.
const prefix = "AWS::Serverless::"

func kindOf(t string) (kind, bool) {
	name, is := strings.CutPrefix(t, prefix)
	k, known := kinds[name]
	return k, is && known
}

// names are the names of properties; required reports whether SAM requires one.
func (k kind) names() []string { return strings.Fields(strings.ReplaceAll(k.properties, "!", "")) }

func (k kind) required() (all []string) {
	for name := range strings.FieldsSeq(k.properties) {
		if name, is := strings.CutSuffix(name, "!"); is {
			all = append(all, name)
		}
	}
	return all
}

// globals are the properties that Globals may hold.
func (k kind) globals() []string {
	kept, _ := strings.CutPrefix(k.global, "-")
	return slices.DeleteFunc(k.names(), func(name string) bool { return slices.Contains(strings.Fields(kept), name) })
}

// asOf is a clause for the end of a message that was true when kinds was written, with what to do if that has changed.
const asOf = " (as of May 2026; if SAM has changed: Metadata: {cfnlocal: {newer: true}})"

// IsNewer reports whether a resource's metadata claims that AWS knows more of it than the tables here.
func IsNewer(resource *source.Node) bool {
	n := resource.Get("Metadata").Get("cfnlocal").Get("newer")
	if n == nil {
		return false
	}
	v, _ := source.Text(n.Value)
	return v == "true"
}

// exclusive are two properties of which SAM takes one.
var exclusive = map[string][2]string{
	prefix + "Api":          {"DefinitionUri", "DefinitionBody"},
	prefix + "HttpApi":      {"DefinitionUri", "DefinitionBody"},
	prefix + "StateMachine": {"Definition", "DefinitionUri"},
}

// checkProperties refuses the properties that SAM does not know, and reports those that are missing.
func (rw *rewriter) checkProperties(f source.Field, t string, properties *source.Node) {
	k, _ := kindOf(t)
	if IsNewer(f.Value) || properties != nil && properties.IsCall() {
		return
	}
	for _, p := range properties.Entries() {
		if !slices.Contains(k.names(), p.Name()) {
			rw.Checkf(p.Key, "property %s not defined for resource of type %s%s%s", source.Shorten(p.Name()), t, source.DidYouMean(p.Name(), slices.Values(k.names())), asOf)
		}
	}
	if either := exclusive[t]; properties.Get(either[0]) != nil && properties.Get(either[1]) != nil {
		rw.Checkf(properties.Get(either[1]), "Specify either '%s' or '%s' property and not both: remove one", either[0], either[1])
	}
	for _, name := range k.required() {
		if properties.Get(name) == nil && rw.globals.Get(strings.TrimPrefix(t, prefix)).Get(name) == nil {
			rw.Checkf(f.Key, "%s needs the property %s: Missing required property '%s'%s", t, name, name, asOf)
		}
	}
}

// checkPackage reports what a function of a .zip archive lacks, or one of an image has too much.
func (rw *rewriter) checkPackage(f source.Field, properties *source.Node) {
	is, written := properties.Get("PackageType").Text()
	if properties.Get("PackageType") != nil && !written {
		return // a parameter decides it
	}
	if is == "Image" {
		for _, name := range []string{"Handler", "Runtime", "Layers"} {
			if at := properties.Get(name); at != nil {
				rw.Checkf(at, "Runtime, Handler, Layers cannot be present when PackageType is of type Image; remove %s", name)
			}
		}
		return
	}
	for _, name := range []string{"Runtime", "Handler"} {
		if properties.Get(name) == nil {
			rw.Checkf(f.Key, "Runtime and Handler needs to be present when PackageType is of type Zip; write %s, here or in Globals", name)
		}
	}
	if properties.Get("CodeUri") == nil && properties.Get("InlineCode") == nil {
		rw.Checkf(f.Key, "Either 'InlineCode' or 'CodeUri' must be set; write CodeUri: ./directory, here or in Globals")
	}
}

// checkPreference warns that deployments are not shifted here, and reports what they lack.
func (rw *rewriter) checkPreference(properties *source.Node) {
	at := properties.Get("DeploymentPreference")
	if at == nil {
		return
	}
	rw.Warnf(at, "DeploymentPreference has no effect here: the resources that SAM makes of it are left out")
	if at.IsCall() || properties.Get("AutoPublishAlias") != nil {
		return
	}
	enabled := "true"
	if given := at.Get("Enabled"); given != nil {
		enabled, _ = source.Text(given.Value) // a function gives none
	}
	if enabled == "true" {
		rw.Checkf(at, "'DeploymentPreference' requires AutoPublishAlias property to be specified; write AutoPublishAlias: live")
	}
}

// policyTemplates are the names of SAM's policy templates ("AWS SAM policy templates").
var policyTemplates = strings.Fields(`
	AMIDescribePolicy AWSSecretsManagerGetSecretValuePolicy AWSSecretsManagerRotationPolicy AcmGetCertificatePolicy AthenaQueryPolicy
	CloudFormationDescribeStacksPolicy CloudWatchDashboardPolicy CloudWatchDescribeAlarmHistoryPolicy CloudWatchPutMetricPolicy
	CodeCommitCrudPolicy CodeCommitReadPolicy CodePipelineLambdaExecutionPolicy CodePipelineReadOnlyPolicy ComprehendBasicAccessPolicy
	CostExplorerReadOnlyPolicy DynamoDBBackupFullAccessPolicy DynamoDBCrudPolicy DynamoDBReadPolicy DynamoDBReconfigurePolicy
	DynamoDBRestoreFromBackupPolicy DynamoDBStreamReadPolicy DynamoDBWritePolicy EC2CopyImagePolicy EC2DescribePolicy EFSWriteAccessPolicy
	EKSDescribePolicy EcsRunTaskPolicy ElasticMapReduceAddJobFlowStepsPolicy ElasticMapReduceCancelStepsPolicy
	ElasticMapReduceModifyInstanceFleetPolicy ElasticMapReduceModifyInstanceGroupsPolicy ElasticMapReduceSetTerminationProtectionPolicy
	ElasticMapReduceTerminateJobFlowsPolicy ElasticsearchHttpPostPolicy EventBridgePutEventsPolicy FilterLogEventsPolicy FirehoseCrudPolicy
	FirehoseWritePolicy KMSDecryptPolicy KMSEncryptPolicy KMSEncryptPolicy_v2 KinesisCrudPolicy KinesisStreamReadPolicy LambdaInvokePolicy
	MobileAnalyticsWriteOnlyAccessPolicy OrganizationsListAccountsPolicy PinpointEndpointAccessPolicy PollyFullAccessPolicy
	RekognitionDetectOnlyPolicy RekognitionFacesManagementPolicy RekognitionFacesPolicy RekognitionLabelsPolicy RekognitionNoDataAccessPolicy
	RekognitionReadPolicy RekognitionWriteOnlyAccessPolicy Route53ChangeResourceRecordSetsPolicy S3CrudPolicy S3FullAccessPolicy S3ReadPolicy
	S3WritePolicy SESBulkTemplatedCrudPolicy SESBulkTemplatedCrudPolicy_v2 SESCrudPolicy SESEmailTemplateCrudPolicy SESSendBouncePolicy
	SNSCrudPolicy SNSPublishMessagePolicy SQSPollerPolicy SQSSendMessagePolicy SSMParameterReadPolicy SSMParameterWithSlashPrefixReadPolicy
	SageMakerCreateEndpointConfigPolicy SageMakerCreateEndpointPolicy ServerlessRepoReadWriteAccessPolicy StepFunctionsCallbackPolicy
	StepFunctionsExecutionPolicy StepFunctionsExecutionPolicy_v2 TextractDetectAnalyzePolicy TextractGetResultPolicy TextractPolicy
	VPCAccessPolicy`)

// checkPolicies reports policies that are neither statements nor templates of SAM's. A text is a managed policy, and a
// call is known later.
func (rw *rewriter) checkPolicies(f source.Field, policies *source.Node) {
	if policies == nil || IsNewer(f.Value) {
		return
	}
	for i, policy := range policies.Listed() {
		switch {
		case policy.Kind != source.Object, policy.IsCall(), policy.Get("Statement") != nil, policy.Get("Version") != nil:
			continue
		}
		if len(policy.Fields) != 1 || !slices.Contains(policyTemplates, policy.Fields[0].Name()) {
			near := ""
			if len(policy.Fields) == 1 {
				near = source.DidYouMean(policy.Fields[0].Name(), slices.Values(policyTemplates))
			}
			rw.Checkf(policy, "Policy at index %d in the 'Policies' property is not valid: it has no Statement, and is no policy template of SAM%s%s", i, near, asOf)
		}
	}
}

// Types are the types of SAM that are known here.
func Types() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range kinds {
			if !yield(prefix + name) {
				return
			}
		}
	}
}
