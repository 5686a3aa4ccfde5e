from crhelper import CfnResource

import mail

helper = CfnResource()


@helper.create
def create(event, _):
    props = event["ResourceProperties"]
    name = "mailbox-" + props["Owner"]
    mail.open(name, props["Owner"])
    mail.set_quota(name, int(props["Quota"]))
    helper.Data["Address"] = name + "@example.com"
    return name


@helper.update
def update(event, _):
    props = event["ResourceProperties"]
    name = "mailbox-" + props["Owner"]
    if name != event["PhysicalResourceId"]:
        mail.open(name, props["Owner"])
    mail.set_quota(name, int(props["Quota"]))
    helper.Data["Address"] = name + "@example.com"
    return name


@helper.delete
def delete(event, _):
    mail.close(event["PhysicalResourceId"])


def handler(event, context):
    helper(event, context)
