"""Every operator and version of onnx.defs against ours: inputs, outputs, attributes, defaults, type sets."""

import onnx
import opgraft
import pytest
from cases import MISSING

OPTION = onnx.defs.OpSchema.FormalParameterOption


def known():
    """(domain, name, version) -> signature dictionary of every version that is registered."""
    signatures = {}
    for op in opgraft.operators():
        for signature in [op, *op["old_versions"]]:
            signatures[op["domain"], op["name"], signature["since_version"]] = signature
    return signatures


def default_of(attribute):
    value = onnx.helper.get_attribute_value(attribute.default_value) if attribute.default_value.name else None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [item.decode() if isinstance(item, bytes) else item for item in value]
    return value


def types_of(argument_type, constraints):
    return frozenset(constraints.get(argument_type, [argument_type]))


def of_onnx(schema):
    constraints = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}

    def arguments(items):
        return [
            {
                "name": item.name,
                "types": types_of(item.type_str, constraints),
                "optional": item.option == OPTION.Optional,
                "variadic": item.option == OPTION.Variadic,
                "min_arity": item.min_arity if item.option == OPTION.Variadic else None,
            }
            for item in items
        ]

    return {
        "inputs": arguments(schema.inputs),
        "outputs": arguments(schema.outputs),
        "attributes": {
            name: (attribute.type.value, attribute.required, default_of(attribute))
            for name, attribute in schema.attributes.items()
        },
    }


def of_opgraft(signature):
    def arguments(items):
        return [
            {
                "name": item["name"],
                "types": types_of(item["type"], signature["types"]),
                "optional": item["optional"],
                "variadic": item["variadic"],
                "min_arity": item.get("min_arity"),
            }
            for item in items
        ]

    return {
        "inputs": arguments(signature["inputs"]),
        "outputs": arguments(signature["outputs"]),
        "attributes": {item["name"]: (item["kind"], item["required"], item["default"]) for item in signature["attributes"]},
    }


def differences(schema, signature):
    theirs, ours = of_onnx(schema), of_opgraft(signature)
    for part in theirs:
        if theirs[part] == ours[part]:
            continue
        if part == "attributes":
            for name in sorted(theirs[part].keys() | ours[part].keys()):
                if theirs[part].get(name) != ours[part].get(name):
                    yield f"attribute {name}: {theirs[part].get(name)} in onnx, {ours[part].get(name)} here"
        else:
            for theirs_item, our_item in zip(theirs[part], ours[part]):
                if theirs_item != our_item:
                    changed = {
                        key: (
                            (sorted(theirs_item[key] - our_item[key]), sorted(our_item[key] - theirs_item[key]))
                            if key == "types"
                            else (theirs_item[key], our_item[key])
                        )
                        for key in theirs_item
                        if theirs_item[key] != our_item[key]
                    }
                    yield f"{part}: {theirs_item['name']}: {changed}"
            if len(theirs[part]) != len(ours[part]):
                yield f"{part}: {len(theirs[part])} in onnx, {len(ours[part])} here"


@pytest.mark.parametrize("domain", ["", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"])
def test_every_version_is_as_onnx_has_it(domain):
    signatures, found, compared = known(), [], 0
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain != domain or schema.deprecated or (schema.domain, schema.name) in MISSING:
            continue
        what = f"{schema.domain or 'ai.onnx'}::{schema.name} version {schema.since_version}"
        signature = signatures.get((schema.domain, schema.name, schema.since_version))
        compared += 1
        if signature is None:
            found.append(f"{what} is not registered")
        else:
            found += [f"{what}: {text}" for text in differences(schema, signature)]
    assert not found, "\n".join(found)
    assert compared or any(missing == domain for missing, _ in MISSING)


def test_no_version_is_ours_alone():
    schemas = {(s.domain, s.name, s.since_version) for s in onnx.defs.get_all_schemas_with_history()}
    of_the_standard = {schema[0] for schema in schemas}
    built_in = {key for key in known() if key[0] in of_the_standard}
    assert not built_in - schemas
