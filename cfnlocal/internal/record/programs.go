package record

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// stampCode has each function's property Code tell what the function runs, as keys in S3 do after
// "aws cloudformation package", "sam deploy" and "cdk deploy": they are hashes of the code. So new code
// is a change of the function, and CloudFormation updates it in place [D]. SAM makes another version then, under another
// logical ID [D]; here the one version is replaced.
func (rev *Revision) stampCode(plan *template.Plan) {
	for i := range plan.Resources {
		r := &plan.Resources[i]
		declared, name := r.Properties, r.LogicalID
		// Lambda publishes a version only of code that has changed, so a version has its function's hash.
		if function := plan.Published[name]; function != "" {
			r.Properties = func(refs engine.Refs) (map[string]any, error) {
				all, err := declared(refs)
				if err != nil || rev.Code[function] == "" {
					return all, err
				}
				address, _ := all["CodeSha256"].(string)
				return merged(all, map[string]any{"CodeSha256": address + rev.Code[function]}), nil
			}
		}
		if r.Type != "AWS::Lambda::Function" {
			continue
		}
		// The hash stands where a key in S3 would, so that the template's own properties stay as they are.
		r.Properties = func(refs engine.Refs) (map[string]any, error) {
			all, err := declared(refs)
			hash := rev.Code[name]
			if err != nil || hash == "" {
				return all, err
			}
			code, _ := all["Code"].(map[string]any)
			return merged(all, map[string]any{"Code": merged(code, map[string]any{"S3ObjectVersion": hash})}), nil
		}
	}
}

// SetCode notes what each function runs, and since which deployment. former is the revision before, or nil.
func (rev *Revision) SetCode(code map[string]string, former *Revision) {
	rev.Code, rev.Since = code, map[string]int{}
	for name, hash := range code {
		if rev.Since[name] = rev.Number; former != nil && former.Code[name] == hash && former.Since[name] > 0 {
			rev.Since[name] = former.Since[name]
		}
	}
}

// CodeOf returns the absolute directory of a function's code, or "".
func (rev *Revision) CodeOf(f *template.Function) string {
	if f.CodeURI == "" || filepath.IsAbs(f.CodeURI) {
		return f.CodeURI
	}
	return filepath.Join(filepath.Dir(rev.File), f.CodeURI)
}

// hasProgram is [template.Stack]'s: it reports whether a function has a command or a Go program.
func (rev *Revision) hasProgram(f *template.Function, arn string) bool {
	if f == nil {
		if rev.CommandOf(arn) != "" || rev.Provided != nil && rev.Provided(arn) {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(rev.family)), func(t *template.Template) bool { return t.Names(arn) })
	}
	dir, _ := rev.SourceOfFunction(f)
	return rev.Commands[f.LogicalID] != "" || dir != ""
}

// CommandOf returns the command that runs a function, or "". The function is a logical ID, or an ARN
// with or without a version or an alias.
func (rev *Revision) CommandOf(function string) string { return rev.Commands[rev.NameOf(function)] }

// NameOf returns the name by which a function has a command: that itself, or an ARN without its version or alias.
func (rev *Revision) NameOf(function string) string {
	parts := strings.Split(function, ":")
	if rev == nil || rev.Commands[function] != "" || len(parts) != 8 {
		return function
	}
	return strings.Join(parts[:7], ":")
}

// SourceOfFunction returns the directory of the Go program that a function is built from, without
// symbolic links, and whether it is outside the template's directory. The directory is "" if a
// command runs the function, or if there is no program. One that is missing may be a typo, unless
// the function is of another language.
func (rev *Revision) SourceOfFunction(f *template.Function) (dir string, outside bool) {
	dir = rev.CodeOf(f)
	if dir == "" || rev.Commands[f.LogicalID] != "" {
		return "", false
	}
	// A directory without Go files is of another language. A missing one is returned, so that its build fails by name.
	if files, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(files) == 0 {
		if _, err := os.Stat(dir); err == nil || f.OtherLanguage {
			return "", false
		}
	}
	dir = resolveLinks(dir)
	return dir, rev.isOutside(dir)
}

// AssetOf returns the directory of a function's code. It is "" if a command runs the function, or if
// the directory is outside the template's.
func (rev *Revision) AssetOf(f *template.Function) string {
	dir := resolveLinks(rev.CodeOf(f))
	if dir == "" || rev.Commands[f.LogicalID] != "" || rev.isOutside(dir) {
		return ""
	}
	return dir
}

// isOutside reports whether a directory is outside the template's.
func (rev *Revision) isOutside(dir string) bool {
	relative, err := filepath.Rel(resolveLinks(filepath.Dir(rev.File)), dir)
	return err != nil || !filepath.IsLocal(relative)
}

// resolveLinks returns a path without symbolic links, or unchanged if it does not exist.
func resolveLinks(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// SourceOf returns the directory of a type's Go program, or "" if a command runs it.
func (rev *Revision) SourceOf(name string) string {
	dir := rev.Types[name].Command
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(rev.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}
