package host

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// inherited are the variables of this process that its functions get: what a program needs to run
// on this machine and to reach the network, and nothing that leads to an account.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
}

// reserved are the variables that only the host sets.
var reserved = []string{
	"_HANDLER", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_LAMBDA_RUNTIME_API", "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION",
	"AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_INITIALIZATION_TYPE",
	"LAMBDA_TASK_ROOT",
}

// These are where AWS's clients look for the endpoints of services (AWS SDKs and
// Tools Reference Guide, "Service-specific endpoints").
const (
	cloudFormation = "AWS_ENDPOINT_URL_CLOUDFORMATION"
	lambda         = "AWS_ENDPOINT_URL_LAMBDA"
)

// placeholderCredentials are credentials of nobody, where Lambda has those of the function's
// role. AWS refuses them.
var placeholderCredentials = map[string]string{
	"AWS_ACCESS_KEY_ID":     "CFNLOCAL",
	"AWS_SECRET_ACCESS_KEY": "cfnlocal",
	"AWS_SESSION_TOKEN":     "cfnlocal",
}

// credentials are the variables by which a function can have some of its own,
// which those in placeholderCredentials would take precedence over.
var credentials = []string{
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
}

func hasCredentials(env map[string]string) bool {
	return slices.ContainsFunc(credentials, func(name string) bool { return env[name] != "" })
}

const responseHosts = "CFNRESOURCE_RESPONSE_HOSTS"

// environment is what a process of f gets (AWS Lambda Developer Guide, "Defined
// runtime environment variables").
func (h *Host) environment(f *function, runtimeAPI string) []string {
	env := map[string]string{
		// What follows keeps the AWS SDKs from finding credentials of their own.
		"AWS_EC2_METADATA_DISABLED":   "true",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"TZ":                          ":UTC",
	}
	// What this process and the host give it.
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	env[lambda] = "http://" + runtimeAPI
	if h.config.CloudFormation != "" {
		env[cloudFormation] = h.config.CloudFormation
	}
	// Its own variables, and where it may send answers.
	if !hasCredentials(f.Env) {
		maps.Copy(env, placeholderCredentials)
	}
	maps.Copy(env, f.Env)
	hosts := slices.Clone(h.config.ResponseHosts)
	if own := env[responseHosts]; own != "" {
		hosts = append([]string{own}, hosts...)
	}
	if len(hosts) > 0 {
		env[responseHosts] = strings.Join(hosts, ",")
	}
	// What nobody else may set.
	root, err := filepath.Abs(f.Dir)
	if err != nil { // there is no directory that this process is in
		root = f.Dir
	}
	maps.Copy(env, map[string]string{
		"_HANDLER":                        f.Handler,
		"AWS_REGION":                      f.region,
		"AWS_DEFAULT_REGION":              f.region,
		"AWS_LAMBDA_RUNTIME_API":          runtimeAPI,
		"AWS_LAMBDA_FUNCTION_NAME":        f.name,
		"AWS_LAMBDA_FUNCTION_VERSION":     latest,
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(f.MemorySize),
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + f.name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      time.Now().UTC().Format("2006/01/02") + "/[$LATEST]" + randomHex(16),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"LAMBDA_TASK_ROOT":                root,
	})
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}
