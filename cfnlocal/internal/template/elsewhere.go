package template

// elsewhere is Fn::Transform or Fn::GetStackOutput, which AWS alone can evaluate. A stand-in can go
// without what AWS::Include brings in.
type elsewhere struct{}

func (elsewhere) compile(c *compiler, f call) expr {
	name, _ := f.argument.Get("Name").Text()
	switch {
	case f.name == "Fn::GetStackOutput":
		c.Errorf(f.at, "%s is not supported here; take the value from a parameter, or export it and write Fn::ImportValue", f.name)
	case name == "AWS::Include" && c.standIn:
		c.Warnf(f.at, "what AWS::Include brings in is left out: nothing reads it here")
		return objectExpr{}
	default:
		c.Errorf(f.at, "%s is not supported here; macros run in AWS only: write what the macro makes of it", f.name)
	}
	return invalidExpr{}
}
