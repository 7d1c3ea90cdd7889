//! Parts of the schema, and documents changed so that they become invalid.

#![allow(dead_code, reason = "each test file uses a part")]

use banmen_protocol::Service;
use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema of the service's operations.
pub(crate) fn schema(service: &Service) -> Value {
    service.schema().to_value()
}

/// A validator for one of the schema's definitions.
pub(crate) fn part(schema: &Value, name: &str) -> Validator {
    let mut schema = schema.clone();
    let object = schema.as_object_mut().expect("an object");
    object.remove("oneOf");
    object.insert("$ref".to_owned(), format!("#/$defs/{name}").into());
    jsonschema::draft202012::new(&schema).expect("the schema can be used")
}

/// Collects the JSON pointers to all values of a document, except inside fields that the schema leaves open.
pub(crate) fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    found.push(pointer.clone());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(name, _)| !matches!(name.as_str(), "extra" | "args")) {
                places(field, format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

pub(crate) fn with(document: &Value, pointer: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut document = document.clone();
    change(document.pointer_mut(pointer).expect("the place is there"));
    document
}

/// Checks that a document becomes invalid when a field is added or removed, or when a value changes its type. Returns
/// the number of changed documents. Open fields (`extra`, `args`) are only checked to be objects.
pub(crate) fn changed_parts_are_refused(fits: &Validator, given: &Value) -> usize {
    let mut found = Vec::new();
    places(given, String::new(), &mut found);
    let mut changed = 0;
    for pointer in found {
        let place = given.pointer(&pointer).expect("the place is there");
        let mut wrong = vec![with(given, &pointer, |place| *place = json!({ "wrong": 1 }))];
        if let Some(fields) = place.as_object() {
            wrong.push(with(given, &pointer, |place| place["unknown"] = json!(1)));
            wrong.extend(fields.keys().map(|field| {
                with(given, &pointer, |place| drop(place.as_object_mut().map(|place| place.remove(field))))
            }));
        }
        for wrong in wrong {
            assert!(!fits.is_valid(&wrong), "{wrong}");
            changed += 1;
        }
    }
    changed
}
