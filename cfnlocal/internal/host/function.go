package host

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Function is a Lambda function.
type Function struct {
	// ARN is the ARN by which the function is invoked:
	// arn:aws:lambda:REGION:ACCOUNT:function:NAME, with :QUALIFIER at its end for
	// a version or an alias. Add a function once for each such ARN.
	ARN string
	// Command is the program and its arguments. A program without a slash is looked for in PATH.
	Command []string
	// Dir is the directory that it runs in: this process's if it is empty.
	Dir string
	// Env is the function's own environment, which may not have the variables that the host sets.
	Env map[string]string
	// Handler is the _HANDLER that interpreters' runtimes read.
	Handler string
	// Timeout is how long an invocation may take: three seconds if it is zero, as in Lambda.
	Timeout time.Duration
	// MemorySize, in MB, is passed to the function but not enforced: 128 if it is zero.
	MemorySize int
	// MaximumRetryAttempts is how often an event that failed is tried again: 0 to
	// 2. Lambda's default is two; here it is none.
	MaximumRetryAttempts int
	// MaximumEventAge is how old an event may get: six hours if it is zero, as in Lambda.
	MaximumEventAge time.Duration
	// OnFailure is the ARN of the function or topic that gets a record of each
	// event that could not be processed; "" if nobody does.
	OnFailure string
	// Unavailable is that the function's reserved concurrency is zero: Lambda accepts events, and gives them up
	// without an attempt.
	Unavailable bool
	// Recursive lets the function invoke itself as often as it likes: its RecursiveLoop is Allow.
	Recursive bool
}

// A function is a Function with its processes.
type function struct {
	Function
	name, region string
	idle         []*process // warm ones that wait for work; guarded by the host's mu
	retired      bool       // another function has replaced it; guarded by the host's mu

	hung   atomic.Int32 // in how many attempts it did not get ready
	worked atomic.Bool  // one of its processes got ready
	late   atomic.Bool  // it was reported that it does not get ready
}

// Add adds a function. It replaces one with the same ARN, whose processes finish their
// events. New events go to new processes.
func (h *Host) Add(f Function) error {
	name, region, err := parseFunctionARN(f.ARN)
	if err != nil {
		return err
	}

	// Its program must exist.
	if len(f.Command) == 0 {
		return fmt.Errorf("host: the function %s has no command: name the program to run", name)
	}
	program := f.Command[0]
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		program = filepath.Join(f.Dir, program) // where it will be looked for
		if !filepath.IsAbs(program) {
			program = "." + string(filepath.Separator) + program
		}
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("host: the function %s cannot be run: %w: build it, or correct the command", name, err)
	}

	// Its settings must be allowed.
	for variable := range f.Env {
		if variable == "" || strings.ContainsAny(variable, "=\x00") || strings.ContainsRune(f.Env[variable], 0) {
			return fmt.Errorf("host: the function %s has the variable %q, which cannot be set: correct its name or value", name, variable)
		}
		if slices.Contains(reserved, variable) {
			return fmt.Errorf("host: the function %s sets the variable %s, which is Lambda's own: leave it out", name, variable)
		}
	}
	if f.MaximumRetryAttempts < 0 || f.MaximumRetryAttempts > 2 {
		return fmt.Errorf("host: the function %s has %d MaximumRetryAttempts: Lambda allows 0 to 2", name, f.MaximumRetryAttempts)
	}

	// Lambda's defaults replace zero values.
	f.Timeout = cmp.Or(f.Timeout, 3*time.Second)
	f.MemorySize = cmp.Or(f.MemorySize, 128)
	f.MaximumEventAge = cmp.Or(f.MaximumEventAge, 6*time.Hour)
	f.Command, f.Env = slices.Clone(f.Command), maps.Clone(f.Env)

	// Replace the function that has the ARN. Its warm processes end.
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.functions[f.ARN]; old != nil {
		old.retired = true
		for _, p := range old.idle {
			p.kill()
		}
		old.idle = nil
	}
	h.functions[f.ARN] = &function{Function: f, name: name, region: region}
	return nil
}

func (h *Host) lookup(arn string) *function {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.functions[arn]
}

func parseFunctionARN(arn string) (name, region string, err error) {
	parts := strings.Split(arn, ":")
	switch {
	case len(parts) < 7, len(parts) > 8, parts[0] != "arn", parts[2] != "lambda", parts[3] == "", parts[5] != "function", slices.Contains(parts[6:], ""):
		return "", "", fmt.Errorf("host: %.200q is not a function's ARN: write arn:aws:lambda:REGION:ACCOUNT:function:NAME, or with :QUALIFIER at the end", arn)
	}
	return parts[6], parts[3], nil
}

// unqualified returns an ARN without its version or alias, and that qualifier: $LATEST if it has none.
func unqualified(arn string) (function, qualifier string) {
	if parts := strings.Split(arn, ":"); len(parts) == 8 {
		return strings.Join(parts[:7], ":"), parts[7]
	}
	return arn, latest
}

// latest is the version that all functions have here.
const latest = "$LATEST"

// functionNameForm matches the names of a function that Invoke accepts: its name, its ARN, or the part of the
// ARN that begins with the account, each with or without a qualifier (AWS Lambda API Reference, "Invoke").
var functionNameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:(?:arn:(aws[a-zA-Z-]*):lambda:)?([a-z]{2,4}(?:-[a-z]+)+-\d):)?(\d{12}):function:)?([a-zA-Z0-9_.-]{1,140})(?::(\$LATEST|[a-zA-Z0-9_-]{1,128}))?$`)
})

// resolve returns the ARN of the function that a caller names. The qualifier is in the name, or in
// beside. The parts that the name leaves out are the caller's.
func resolve(caller, name, beside string) (arn string, err error) {
	m := functionNameForm().FindStringSubmatch(name)
	if m == nil {
		return "", invalid(name, "functionName", "Member must satisfy regular expression pattern: "+functionNameForm().String())
	}
	own := strings.Split(caller, ":")
	q := cmp.Or(m[5], beside)
	if beside != "" && q != beside {
		return "", errQualifiers
	}
	arn = strings.Join([]string{"arn", cmp.Or(m[1], own[1]), "lambda", cmp.Or(m[2], own[3]), cmp.Or(m[3], own[4]), "function", m[4]}, ":")
	if q == "" {
		return arn, nil
	}
	if !qualifierForm().MatchString(q) {
		return "", invalid(q, "qualifier", "Member must satisfy regular expression pattern: "+qualifierForm().String())
	}
	return arn + ":" + q, nil
}

var qualifierForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\$LATEST|[a-zA-Z0-9_-]{1,128})$`) })

// inherited are the variables of this process that its functions get: those that a program needs to run
// on this machine and to reach the network (see exemptFromProxies), and none that leads to an account.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
}

// reserved are the variables that only the host sets.
var reserved = []string{
	"_HANDLER", "AWS_REGION", "AWS_DEFAULT_REGION", runtimeAPI, "AWS_LAMBDA_FUNCTION_NAME", "AWS_LAMBDA_FUNCTION_VERSION",
	"AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME", "AWS_LAMBDA_INITIALIZATION_TYPE",
	"LAMBDA_TASK_ROOT",
}

// These are where AWS's clients look for the endpoints of services (AWS SDKs and
// Tools Reference Guide, "Service-specific endpoints").
const (
	cloudFormation = "AWS_ENDPOINT_URL_CLOUDFORMATION"
	lambda         = "AWS_ENDPOINT_URL_LAMBDA"
)

// placeholderCredentials are made-up credentials in place of those of the function's role. AWS refuses
// them.
var placeholderCredentials = map[string]string{
	"AWS_ACCESS_KEY_ID":     "CFNLOCAL",
	"AWS_SECRET_ACCESS_KEY": "cfnlocal",
	"AWS_SESSION_TOKEN":     "cfnlocal",
}

// credentials are the variables that give a function credentials of its own. With any of
// them, placeholderCredentials are left out, since they would take precedence.
var credentials = []string{
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
}

const (
	responseHosts = "CFNRESOURCE_RESPONSE_HOSTS"
	runtimeAPI    = "AWS_LAMBDA_RUNTIME_API"
)

// exemptFromProxies keeps what is sent to this machine from the proxies in an environment: the answers, and calls of the
// endpoints here. Clients differ in whether they exempt it themselves, and in which variable they read.
func exemptFromProxies(env map[string]string) {
	if cmp.Or(env["HTTP_PROXY"], env["HTTPS_PROXY"], env["http_proxy"], env["https_proxy"]) == "" {
		return
	}
	own := cmp.Or(env["NO_PROXY"], env["no_proxy"])
	exempt := strings.Trim(own+",localhost,127.0.0.1,::1", ",")
	env["NO_PROXY"], env["no_proxy"] = exempt, exempt
}

// workDir returns the directory that a process of f runs in. A program that is named by its whole path is there without it: where
// the directory is gone, the program runs beside itself.
func (f *function) workDir() (string, error) {
	info, err := os.Stat(cmp.Or(f.Dir, "."))
	isThere := err == nil && info.IsDir()
	program := f.Command[0]
	switch {
	case isThere:
		return f.Dir, nil
	case filepath.IsAbs(program):
		return filepath.Dir(program), nil
	}
	return "", fmt.Errorf("the directory in which it runs, %s, is not there", f.Dir)
}

// environment returns the environment of a process of f in a directory, whose Runtime API is at an address (AWS Lambda Developer Guide,
// "Defined runtime environment variables").
func (h *Host) environment(f *function, dir, address string) []string {
	env := map[string]string{
		// These keep the AWS SDKs from finding the user's credentials.
		"AWS_EC2_METADATA_DISABLED":   "true",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"TZ":                          ":UTC",
	}

	// Take the inherited variables from this process, and the endpoints from the host.
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	env[lambda] = "http://" + address
	if h.config.CloudFormation != "" {
		env[cloudFormation] = h.config.CloudFormation
	}

	// Add the function's own variables, and the bucket to the hosts that it may answer to.
	if !slices.ContainsFunc(credentials, func(name string) bool { return f.Env[name] != "" }) {
		maps.Copy(env, placeholderCredentials)
	}
	maps.Copy(env, f.Env)
	exemptFromProxies(env)
	if hosts := strings.Trim(env[responseHosts]+","+h.config.ResponseHost, ","); hosts != "" {
		env[responseHosts] = hosts
	}

	// Set Lambda's variables last, since nobody else may.
	root, err := filepath.Abs(dir)
	if err != nil { // this process's directory does not exist
		root = dir
	}
	maps.Copy(env, map[string]string{
		"_HANDLER":                        f.Handler,
		"AWS_REGION":                      f.region,
		"AWS_DEFAULT_REGION":              f.region,
		runtimeAPI:                        address,
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

// maxLoad is the most that [Allow] multiplies a time by.
const maxLoad = 10

// loadFactor is the number of tasks for each CPU that could run now, from 1 to maxLoad. Work takes
// that many times as long as on Lambda, where a function has its CPU to itself. It is 1 on a
// system that does not report its load.
func loadFactor() int {
	text, err := os.ReadFile("/proc/loadavg") // three averages, then RUNNABLE/ALL
	if err != nil {
		return 1
	}
	return loadFactorOf(text, runtime.NumCPU())
}

// Allow returns the time to allow, on this machine as busy as it is now, for what takes d on an
// idle one: time alone does not show whether a program is slow or only waits for its turn.
func Allow(d time.Duration) time.Duration { return d * time.Duration(loadFactor()) }

func loadFactorOf(loadavg []byte, cpus int) int {
	fields := bytes.Fields(loadavg)
	if len(fields) < 4 {
		return 1
	}
	runnable, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(runnable))
	if err != nil {
		return 1
	}
	return min(max(1, (n+cpus-1)/cpus), maxLoad)
}
