//! Parts of the schema, and documents changed so that they become invalid.

#![allow(dead_code, reason = "the tests of `arena` use a part too")]

use banmen_protocol::{Request, Service};
use banmen_search::StopFlag;
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

/// What was tried by [`requests_and_answers_fit`].
pub(crate) struct Tried {
    /// Changed requests that were refused.
    pub(crate) refused: usize,
    /// Changed requests that were taken.
    pub(crate) taken: usize,
    /// Changed answers, which do not fit.
    pub(crate) changed: usize,
}

/// Checks that the requests and their answers by `service` fit its schema, that changed answers do not, and that of changed
/// requests `other`, a service with the same operations, refuses those that do not fit.
pub(crate) fn requests_and_answers_fit(service: &Service, other: &Service, requests: Vec<(&str, Value)>) -> Tried {
    let ask = |service: &Service, op: &str, body: Value| {
        let Value::Object(body) = body else { panic!("{body}") };
        service.answer(Request { op: op.to_owned(), body }, &StopFlag::default(), None)
    };
    let schema = schema(service);
    let numbered = |name: &&String| name.ends_with(|last: char| last.is_ascii_digit());
    assert_eq!(schema["$defs"].as_object().and_then(|defs| defs.keys().find(numbered)), None, "two types of one name");
    let request = part(&schema, "request");
    let others = [json!(null), json!(true), json!(-1), json!(1.5), json!(5000), json!("1"), json!({ "x": 1 })];
    let mut tried = Tried { refused: 0, taken: 0, changed: 0 };
    for (op, body) in requests {
        let whole = |body: &Value| with(body, "", |body| body["op"] = json!(op));
        let asked = whole(&body);
        assert!(request.is_valid(&asked) && part(&schema, &format!("{op}.request")).is_valid(&asked), "{asked}");
        let body = with(&body, "", |body| drop(body.as_object_mut().and_then(|body| body.remove("id"))));
        let answer = ask(service, op, body.clone())["ok"].take();
        let fits = part(&schema, &format!("{op}.answer"));
        fits.validate(&answer).unwrap_or_else(|error| panic!("{op} {answer}: {error}"));
        tried.changed += changed_parts_are_refused(&fits, &answer);
        let mut found = Vec::new();
        places(&body, String::new(), &mut found);
        let wrong = found.iter().filter(|pointer| !pointer.is_empty()).flat_map(|pointer| {
            let body = &body;
            others.iter().map(move |other| with(body, pointer, |place| *place = other.clone()))
        });
        for body in wrong.chain([with(&body, "", |body| body["unknown"] = json!(1))]) {
            let answer = ask(other, op, body.clone());
            let code = answer["error"]["code"].as_str().unwrap_or_default();
            let bad = matches!(code, "bad_request" | "out_of_range");
            assert_eq!(request.is_valid(&whole(&body)), !bad, "{op} {body}: {answer}");
            if bad { tried.refused += 1 } else { tried.taken += 1 }
        }
    }
    tried
}
