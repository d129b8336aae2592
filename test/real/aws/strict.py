"""Calls the AWS stand-in through boto3 and holds every answer, as it came over the wire, to botocore's own service models.

A member that the model does not have, a wrong type, a value outside an enum, a missing required member, an error that the operation does not declare
or one with the wrong HTTP status is a problem. Reads a JSON list of calls on stdin, prints one JSON object a line:
{"call", "problems": [...], "error": name or null, "answer": ...}.
"""

import datetime
import json
import sys
import xml.etree.ElementTree as ElementTree

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

SCALARS = {"string": str, "integer": int, "long": int, "boolean": bool, "double": (int, float), "float": (int, float), "timestamp": (int, float)}


def walk_json(shape, value, path, problems):
    if value is None:
        return
    kind = shape.type_name
    if kind == "structure":
        if not isinstance(value, dict):
            problems.append(f"{path} is no structure")
            return
        names = {member.serialization.get("name", name): member for name, member in shape.members.items()}
        for name, inner in value.items():
            if name not in names:
                problems.append(f"{path}.{name} is not in the model")
            else:
                walk_json(names[name], inner, f"{path}.{name}", problems)
        for name in shape.required_members:
            if shape.members[name].serialization.get("name", name) not in value:
                problems.append(f"{path}.{name} is required")
    elif kind == "list":
        if not isinstance(value, list):
            problems.append(f"{path} is no list")
            return
        for index, inner in enumerate(value):
            walk_json(shape.member, inner, f"{path}[{index}]", problems)
    elif kind == "map":
        for key, inner in value.items():
            walk_json(shape.value, inner, f"{path}.{key}", problems)
    else:
        fits = isinstance(value, SCALARS[kind]) and (kind == "boolean" or not isinstance(value, bool))
        if not fits:
            problems.append(f"{path} is {value!r}, not a {kind}")
        elif kind == "string" and shape.enum and value not in shape.enum:
            problems.append(f"{path} is {value!r}, which is not in the enum")


def tag(element):
    return element.tag.split("}")[-1]


def xml_name(name, member):
    return member.serialization.get("name", name)


def walk_xml(shape, element, path, problems, ec2, extra=()):
    kind = shape.type_name
    if kind == "structure":
        names = {xml_name(name, member): member for name, member in shape.members.items()}
        seen = [tag(child) for child in element]
        for child in element:
            if tag(child) in extra:
                continue
            if tag(child) not in names:
                problems.append(f"{path}.{tag(child)} is not in the model")
            else:
                walk_xml(names[tag(child)], child, f"{path}.{tag(child)}", problems, ec2)
        for name in {one for one in seen if seen.count(one) > 1}:
            problems.append(f"{path}.{name} is there more than once")
        for name in shape.required_members:
            if xml_name(name, shape.members[name]) not in seen:
                problems.append(f"{path}.{name} is required")
    elif kind == "list":
        item = shape.member.serialization.get("name", "item" if ec2 else "member")
        for index, child in enumerate(element):
            if tag(child) != item:
                problems.append(f"{path} has an element {tag(child)}, not {item}")
            walk_xml(shape.member, child, f"{path}[{index}]", problems, ec2)
    elif kind == "map":
        problems.append(f"{path} is a map, which nothing here needs")
    else:
        scalar(shape, element.text or "", path, problems)


def scalar(shape, text, path, problems):
    kind = shape.type_name
    try:
        if kind in ("integer", "long"):
            int(text)
        elif kind in ("double", "float"):
            float(text)
        elif kind == "timestamp":
            datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        elif kind == "boolean" and text not in ("true", "false"):
            raise ValueError
        elif kind == "string" and shape.enum and text not in shape.enum:
            problems.append(f"{path} is {text!r}, which is not in the enum")
    except ValueError:
        problems.append(f"{path} is {text!r}, not a {kind}")


def check_declared(operation, code, status, problems):
    """Query protocols: the status of an error that the operation declares; others are common to all operations of the service."""
    for shape in operation.error_shapes:
        if shape.error_code == code:
            declared = shape.metadata.get("error", {}).get("httpStatusCode")
            if declared not in (None, status):
                problems.append(f"{code} has status {status}, not {declared}")


def check_xml_error(operation, response, problems, ec2):
    """As botocore's parsers read them: <Response><Errors><Error> of EC2, <ErrorResponse><Error> of the query protocol."""
    root = ElementTree.fromstring(response["body"])
    wanted = ("Response", ["Errors", "RequestID"]) if ec2 else ("ErrorResponse", ["Error", "RequestId"])
    if (tag(root), [tag(child) for child in root]) != wanted:
        problems.append(f"{operation.name}: the error is a {tag(root)} of {[tag(child) for child in root]}")
        return
    errors = list(root[0]) if ec2 else [root[0]]
    if [tag(error) for error in errors] != ["Error"]:
        problems.append(f"{operation.name}: the errors are {[tag(error) for error in errors]}")
        return
    members = {tag(child): child.text or "" for child in errors[0]}
    if set(members) != ({"Code", "Message"} if ec2 else {"Type", "Code", "Message"}):
        problems.append(f"{operation.name}: the error has {sorted(members)}")
    if not ec2 and members.get("Type") != ("Sender" if response["status_code"] < 500 else "Receiver"):
        problems.append(f"{operation.name}: an error of status {response['status_code']} is of the {members.get('Type')}")
    check_declared(operation, members.get("Code"), response["status_code"], problems)


def check_error(operation, response, problems, protocol):
    status = response["status_code"]
    if protocol in ("ec2", "query"):
        return check_xml_error(operation, response, problems, protocol == "ec2")
    body = json.loads(response["body"])
    headers = {name.lower(): value for name, value in response["headers"].items()}
    code = headers.get("x-amzn-errortype") or body.get("__type")
    shapes = [shape for shape in operation.error_shapes if shape.error_code == code]
    # Of the service as a whole, which its query protocol does not declare: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CommonErrors.html
    if not shapes and "awsQueryCompatible" in operation.service_model.metadata and (code, status) == ("ValidationError", 400):
        return
    if not shapes:
        problems.append(f"{operation.name} declares no {code}")
        return
    declared = shapes[0].metadata.get("error", {}).get("httpStatusCode")
    if declared not in (None, status):
        problems.append(f"{code} has status {status}, not {declared}")
    walk_json(shapes[0], {name: value for name, value in body.items() if name != "__type"}, code, problems)


def check(operation, response, problems, protocol=None):
    """`protocol`: that of the wire, where the service has several."""
    protocol = protocol or operation.service_model.metadata["protocol"]
    if response["status_code"] >= 300:
        return check_error(operation, response, problems, protocol)
    shape = operation.output_shape
    if shape is None:
        return None
    if protocol in ("rest-json", "json"):
        return walk_json(shape, json.loads(response["body"] or b"{}"), operation.name, problems)
    ec2 = protocol == "ec2"
    root = ElementTree.fromstring(response["body"])
    if tag(root) != f"{operation.name}Response":
        problems.append(f"the answer is a {tag(root)}")
    wrapper = shape.serialization.get("resultWrapper")
    if wrapper is not None:
        if [tag(child) for child in root] != [wrapper, "ResponseMetadata"]:
            problems.append(f"{operation.name} has no {wrapper} and ResponseMetadata")
        root = root[0]
    return walk_xml(shape, root, operation.name, problems, ec2, extra=("requestId",))


def main():
    clients, problems = {}, []

    def listen(model=None, response_dict=None, **_rest):
        check(model, response_dict, problems)

    for call in json.load(sys.stdin):
        service, method = call["call"].split(".")
        if service not in clients:
            clients[service] = boto3.client(service, config=Config(retries={"total_max_attempts": 1}))
            clients[service].meta.events.register(f"before-parse.{service}", lambda operation_model, **rest: listen(operation_model, **rest))
        problems.clear()
        error, answer = None, None
        try:
            answer = getattr(clients[service], method)(**call.get("with", {}))
            answer.pop("ResponseMetadata", None)
        except ClientError as refused:
            error = refused.response["Error"]["Code"]
            answer = refused.response["Error"]["Message"]
        print(json.dumps({"call": call["call"], "problems": list(problems), "error": error, "answer": answer}, default=str), flush=True)


if __name__ == "__main__":
    main()
