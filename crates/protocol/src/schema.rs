//! The JSON Schema of the protocol, generated from the types of the messages.

use banmen_catalog::Error;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::Operation;
use crate::messages::Id;

const DESCRIPTION: &str = "Requests and responses, one JSON object each. On standard input and output: one a line. On the \
    WebSocket: one a text message. POST /api/OP takes a request without id and op, and returns the response without id. A \
    request is answered once by ok or error, after any number of info. Closed: fields that are not listed here are not \
    sent, and refused in requests.";

/// The schema of the requests for these operations and of the responses to them. Besides the types of the messages it
/// defines `request`, `response`, and for every operation `OP.request`, `OP.answer` and, where it reports progress,
/// `OP.info`.
pub(crate) fn schema(operations: &[Operation]) -> Schema {
    // A field that may be left out of a request is always present in an answer, so the two are generated separately.
    let mut requests = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut answers = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let (mut asked, mut answered, mut reported) = (Vec::new(), Vec::new(), Vec::new());
    let mut defs = Map::new();
    for operation in operations {
        let mut add = |kind: &str, schema: Schema, list: &mut Vec<Value>| {
            let name = format!("{}.{kind}", operation.name);
            list.push(json!({ "$ref": format!("#/$defs/{name}") }));
            defs.insert(name, schema.to_value());
        };
        add("request", request(operation, &mut requests), &mut asked);
        add("answer", described((operation.answer)(&mut answers), &answers), &mut answered);
        let info = (operation.info)(&mut answers);
        if info.as_bool() != Some(false) {
            add("info", described(info, &answers), &mut reported);
        }
    }
    let response = response(&answered, &reported, answers.subschema_for::<Error>());
    let id = Id::json_schema(&mut requests).to_value();
    for generator in [&mut requests, &mut answers] {
        for (name, definition) in generator.take_definitions(false) {
            let other = defs.insert(name.clone(), definition.clone()).filter(|earlier| *earlier != definition);
            debug_assert!(other.is_none(), "two types are named {name} in the schema");
        }
    }
    defs.extend([
        ("Id".to_owned(), id),
        ("request".to_owned(), json!({ "description": "Any request.", "oneOf": asked })),
        ("response".to_owned(), response),
    ]);
    let mut schema = json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Banmen's protocol",
        "description": DESCRIPTION,
        "oneOf": [{ "$ref": "#/$defs/request" }, { "$ref": "#/$defs/response" }],
        "$defs": defs,
    });
    RecursiveTransform(tighten).transform(&mut schema);
    schema
}

/// A request for an operation: the fields that all requests have, and its own.
fn request(operation: &Operation, generator: &mut SchemaGenerator) -> Schema {
    let mut schema = (operation.request)(generator);
    let unique = if operation.work.takes_time() {
        " No two searches of a connection that run at once have the same one."
    } else {
        ""
    };
    let envelope = || {
        json_schema!({
            "properties": {
                "id": {
                    "$ref": "#/$defs/Id",
                    "description": format!("Returned with every response; null if left out.{unique}"),
                },
                "op": { "const": operation.name, "description": "The operation." },
            },
            "required": ["op"],
        })
    };
    // Where a request has several forms, each of them is closed.
    match schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        Some(forms) => {
            for form in forms.iter_mut().filter_map(|form| <&mut Schema>::try_from(form).ok()) {
                add_properties(form, envelope());
            }
        }
        None => add_properties(&mut schema, envelope()),
    }
    schema
}

fn response(answered: &[Value], reported: &[Value], error: Schema) -> Value {
    let form = |id: &str, name: &str, content: Value| {
        json!({
            "type": "object",
            "properties": { "id": { "$ref": "#/$defs/Id", "description": id }, name: content },
            "required": ["id", name],
        })
    };
    let mut error = error;
    error.insert("description".to_owned(), "The final answer: why there is none.".into());
    let id = "The id of the request.";
    let mut forms = vec![form(id, "ok", json!({ "description": "The final answer.", "anyOf": answered }))];
    if !reported.is_empty() {
        let found = "What a search has found so far; the final answer follows.";
        forms.push(form(id, "info", json!({ "description": found, "anyOf": reported })));
    }
    forms.push(form("The id of the request; null where none could be read.", "error", error.to_value()));
    json!({ "description": "Any response.", "oneOf": forms })
}

/// A reference with the description of what it refers to.
fn described(mut schema: Schema, generator: &SchemaGenerator) -> Schema {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"));
    let description = name.and_then(|name| generator.definitions().get(name)?.get("description").cloned());
    if let Some(description) = description {
        schema.insert("description".to_owned(), description);
    }
    schema
}

/// Adds the properties of another object, and which of them are required.
pub(crate) fn add_properties(schema: &mut Schema, mut more: Schema) {
    let schema = schema.ensure_object();
    if let Some(Value::Object(more)) = more.remove("properties")
        && let Value::Object(properties) = schema.entry("properties").or_insert_with(|| json!({}))
    {
        properties.extend(more);
    }
    if let Some(Value::Array(more)) = more.remove("required")
        && let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([]))
    {
        required.extend(more);
    }
}

/// Completes a generated schema: objects are closed, integers have the range of their types in place of the format, and
/// descriptions are one line.
fn tighten(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else { return };
    if schema.contains_key("properties") {
        schema.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let range = match schema.remove("format").as_ref().and_then(Value::as_str) {
        Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
        Some("int64") => Some((json!(i64::MIN), json!(i64::MAX))),
        Some("uint32") => Some((json!(0), json!(u32::MAX))),
        // `usize` has the range of the largest machines.
        Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
        _ => None,
    };
    if let Some((min, max)) = range {
        schema.entry("minimum").or_insert(min);
        schema.entry("maximum").or_insert(max);
    }
}
