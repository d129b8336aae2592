"""Holds captured traffic to botocore's service models: requests to their input shapes, answers to their output and error shapes.

Reads a JSON list of exchanges on stdin: {"service": signing name, "method", "path", "target", "body", "status", "headers", "answer", "where"}. Prints one JSON
object a line: {"operation": "eks.DescribeCluster", "problems": [...]}, with what its pages are.
"""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

import botocore.session
from strict import check, walk_json

session = botocore.session.get_session()
# By the name that requests are signed for.
SERVICES = {"servicequotas": "service-quotas", "monitoring": "cloudwatch"}
models = {}


def model_of(signed):
    name = SERVICES.get(signed, signed)
    if name not in models:
        models[name] = session.get_service_model(name)
    return models[name]


def find(model, exchange):
    """The operation and its input, as the wire has it: by members' own names."""
    protocol = protocol_of(model, exchange)
    if protocol == "rest-json":
        return rest(model, exchange)
    if protocol == "json":
        return model.operation_model(exchange["target"].split(".")[1]), json.loads(exchange["body"] or "{}")
    form = dict(urllib.parse.parse_qsl(exchange["body"], keep_blank_values=True))
    return model.operation_model(form["Action"]), form


def rest(model, exchange):
    url = urllib.parse.urlsplit(exchange["path"])
    found = []
    for name in model.operation_names:
        operation = model.operation_model(name)
        if operation.http["method"] != exchange["method"]:
            continue
        template = operation.http["requestUri"].split("?")[0]
        names = re.findall(r"{([^}+]+)\+?}", template)
        pattern = re.sub(r"{[^}]+}", "([^/]+)", template)
        match = re.fullmatch(pattern, url.path)
        if match:
            found.append((len(names), operation, dict(zip(names, map(urllib.parse.unquote, match.groups())))))
    if not found:
        raise LookupError(f"no operation has {exchange['method']} {url.path}")
    _, operation, labels = min(found, key=lambda each: each[0])
    members = operation.input_shape.members
    wire = {member.serialization.get("name", name): (name, member) for name, member in members.items()}
    given = dict(labels)
    for key, value in urllib.parse.parse_qsl(url.query, keep_blank_values=True):
        kind = wire[key][1].type_name if key in wire else "string"
        if kind == "list":
            given.setdefault(key, []).append(value)
        else:
            given[key] = {"integer": int, "boolean": lambda text: text == "true"}.get(kind, str)(value)
    given.update(json.loads(exchange["body"] or "{}"))
    return operation, given


def walk_form(shape, parts, value, path, ec2, problems):
    """One value of a query protocol's form, by what its dotted name says: botocore's QuerySerializer and EC2Serializer, backwards."""
    kind = shape.type_name
    if kind == "structure":
        names = {wire(name, member, ec2): member for name, member in shape.members.items()}
        if not parts or parts[0] not in names:
            problems.append(f"{path}: {parts[0] if parts else 'a value'} is not in the model")
        else:
            walk_form(names[parts[0]], parts[1:], value, f"{path}.{parts[0]}", ec2, problems)
    elif kind == "list":
        if not ec2 and not shape.serialization.get("flattened"):
            element = shape.member.serialization.get("name", "member")
            if not parts or parts[0] != element:
                # An empty list has no element.
                if parts or value:
                    problems.append(f"{path} has no {element}")
                return
            parts = parts[1:]
        if not parts or not parts[0].isdigit() or parts[0] == "0":
            problems.append(f"{path} is a list without numbers from 1")
        else:
            walk_form(shape.member, parts[1:], value, f"{path}[{parts[0]}]", ec2, problems)
    elif parts:
        problems.append(f"{path}.{'.'.join(parts)} is not in the model")
    elif kind in ("integer", "long") and not value.lstrip("-").isdigit():
        problems.append(f"{path} is {value!r}, not a number")
    elif kind == "boolean" and value not in ("true", "false"):
        problems.append(f"{path} is {value!r}, not a boolean")
    elif kind == "string" and shape.enum and value not in shape.enum:
        problems.append(f"{path} is {value!r}, which is not in the enum")


def wire(name, member, ec2):
    told = member.serialization
    if not ec2:
        return told.get("name", name)
    # As botocore's EC2Serializer: queryName, else the location name with a capital.
    own = told.get("queryName") or told.get("name", name)
    return own[0].upper() + own[1:]


def check_form(operation, form, ec2, problems):
    shape = operation.input_shape
    for key, value in form.items():
        if key not in ("Action", "Version") and shape is not None:
            walk_form(shape, key.split("."), value, operation.name, ec2, problems)
    for name in shape.required_members if shape is not None else []:
        own = wire(name, shape.members[name], ec2)
        if not any(key.split(".")[0] == own for key in form):
            problems.append(f"{operation.name}: {name} is required")
    if form.get("Version") != operation.service_model.api_version:
        problems.append(f"{operation.name}: version {form.get('Version')}, the model's is {operation.service_model.api_version}")


def protocol_of(model, exchange):
    """Of the wire: CloudWatch has several, and those with a target are JSON."""
    return "json" if exchange["target"] else model.metadata["protocol"]


def token_in(shape, name, protocol, answer):
    own = shape.members[name].serialization.get("name", name)
    if protocol in ("rest-json", "json"):
        return json.loads(answer or "{}").get(own)
    # The answer's own member, not one of something in it: below the root or the result.
    root = ElementTree.fromstring(answer)
    tops = [root, *root] if protocol == "query" else [root]
    found = [child.text for top in tops for child in top if child.tag.split("}")[-1] == own]
    return found[0] if found and found[0] else None


def pages(model, operation, given, exchange, protocol):
    """What the paginators of botocore say of it: does it have pages, which one is asked for, and which one is next."""
    paginators = session.get_paginator_model(model.service_name)
    try:
        config = paginators.get_paginator(operation.name)
    except ValueError:
        return {"paged": False, "asks": None, "gives": None}
    if isinstance(config["input_token"], list):
        raise LookupError(f"{operation.name} has several tokens, which nothing here needs")
    asked = wire(config["input_token"], operation.input_shape.members[config["input_token"]], protocol == "ec2")
    gives = token_in(operation.output_shape, config["output_token"], protocol, exchange["answer"]) if exchange["status"] < 300 else None
    return {"paged": True, "asks": given.pop(asked, None), "gives": gives}


for exchange in json.load(sys.stdin):
    problems = []
    label = f"{exchange['service']} {exchange['method']} {exchange['path']}"
    listed, given = {"paged": False, "asks": None, "gives": None}, {}
    try:
        model = model_of(exchange["service"])
        protocol = protocol_of(model, exchange)
        operation, given = find(model, exchange)
        label = f"{model.service_name}.{operation.name}"
        if protocol in ("rest-json", "json"):
            walk_json(operation.input_shape, given, operation.name, problems)
        else:
            check_form(operation, given, protocol == "ec2", problems)
        problems = [f"request: {each}" for each in problems]
        answered = []
        answer = {"status_code": exchange["status"], "headers": exchange["headers"], "body": exchange["answer"]}
        check(operation, answer, answered, protocol)
        problems += [f"answer: {each}" for each in answered]
        listed = pages(model, operation, given, exchange, protocol)
    except Exception as error:  # what cannot be judged is a problem, too
        problems.append(f"{type(error).__name__}: {error}")
    request = json.dumps(given, sort_keys=True)
    print(json.dumps({"operation": label, "problems": problems, "where": exchange["where"], "status": exchange["status"], "request": request, **listed}))
