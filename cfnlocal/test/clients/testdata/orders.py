"""Orders operations with boto3: orders.py ENDPOINT TEMPLATE GATE BROKEN.

While there is the file BROKEN, what the template's function is asked fails. It waits at the
URL GATE, which is opened once a line is printed.
"""

import os
import sys

import boto3
from botocore.exceptions import ClientError, WaiterError

endpoint, template, gate, broken = sys.argv[1:]
cfn = boto3.client("cloudformation", endpoint_url=endpoint)
stack = {"StackName": "shop"}


def update(disable_rollback=False, **parameters):
    cfn.update_stack(
        **stack,
        UsePreviousTemplate=True,
        DisableRollback=disable_rollback,
        Parameters=[{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()],
    )


def wait(waiter, name="shop"):
    cfn.get_waiter(waiter).wait(StackName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})


def rests(status):
    """Waits until the stack is at rest, which must be in a status."""
    try:
        wait("stack_rollback_complete")
    except WaiterError as e:
        assert "terminal failure state" in str(e), e
    got = cfn.describe_stacks(**stack)["Stacks"][0]["StackStatus"]
    assert got == status, f"{got}, want {status}"


def refused(code, message, order, **kwargs):
    try:
        order(**kwargs)
    except ClientError as e:
        assert e.response["Error"]["Code"] == code and message in e.response["Error"]["Message"], e
    else:
        raise AssertionError(f"{order.__name__} is not refused")


with open(template) as f:
    body = f.read()
stack_id = cfn.create_stack(**stack, TemplateBody=body, Tags=[{"Key": "team", "Value": "shop"}])["StackId"]
wait("stack_create_complete")
refused("AlreadyExistsException", "Stack [shop] already exists", cfn.create_stack, **stack, TemplateBody=body)
update(Id="two")
wait("stack_update_complete")
refused("ValidationError", "No updates are to be performed.", update, Id="two")

# What fails is rolled back, or is kept until it is.
update(Id="two", Fail="Update")
rests("UPDATE_ROLLBACK_COMPLETE")
update(disable_rollback=True, Id="two", Fail="Update")
rests("UPDATE_FAILED")
cfn.rollback_stack(**stack)
rests("UPDATE_ROLLBACK_COMPLETE")

# A rollback that fails goes on without the resource, or once the cause is mended.
update(Id="two", Fail=broken, At="Never")
wait("stack_update_complete")
open(broken, "w").close()
update(Id="two", Fail=broken, At="Nowhere")
rests("UPDATE_ROLLBACK_FAILED")
cfn.continue_update_rollback(**stack)
rests("UPDATE_ROLLBACK_FAILED")
cfn.continue_update_rollback(**stack, ResourcesToSkip=["Thing"])
rests("UPDATE_ROLLBACK_COMPLETE")
update(Id="two", Fail=broken, At="Nowhere")
rests("UPDATE_ROLLBACK_FAILED")
os.remove(broken)
cfn.continue_update_rollback(**stack)
rests("UPDATE_ROLLBACK_COMPLETE")

# What is under way is cancelled.
update(Id="two", Gate=gate, At="Update")
cfn.cancel_update_stack(**stack)
print("cancelled", flush=True)
rests("UPDATE_ROLLBACK_COMPLETE")
cfn.delete_stack(**stack)
wait("stack_delete_complete", stack_id)
