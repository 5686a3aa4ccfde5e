package template

// macro is Fn::Transform. A stand-in can go without what AWS::Include brings in.
type macro struct{}

func (macro) compile(c *compiler, f call) expr {
	if name, _ := f.argument.Get("Name").Text(); name == "AWS::Include" && c.standIn {
		c.Warnf(f.at, "what AWS::Include brings in is left out: nothing reads it here")
		return objectExpr{}
	}
	c.Errorf(f.at, "%s is not supported here; macros run in AWS only: write what the macro makes of it", f.name)
	return invalidExpr{}
}
