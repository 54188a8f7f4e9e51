//! The examples of the API's document, each run against a sandbox as it stands; and what the README tells to
//! do.

use adapter_postgres::testing::TestDatabase;
use reqwest::Method;
use serde_json::Value;

use super::Sandbox;
use crate::support::Answer;

/// One request that the document shows.
struct Example {
    method: Method,
    path: String,
    query: Option<(String, String)>,
    body: Option<Value>,
}

fn document() -> Value {
    serde_json::from_str(adapter_http::openapi()).unwrap()
}

/// What a parameter shows as an example, its own or its schema's.
fn example_of(document: &Value, parameter: &Value) -> Option<String> {
    let own = parameter["example"].as_str();
    let pointer = parameter["schema"]["$ref"].as_str().map(|pointer| pointer.trim_start_matches('#'));
    let shared =
        pointer.and_then(|pointer| document.pointer(pointer)).and_then(|it| it["examples"][0].as_str());
    own.or(shared).map(str::to_owned)
}

/// Every request of the document: each body, and each parameter of a query by itself.
fn examples(document: &Value) -> Vec<Example> {
    let mut examples = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let of = |place: &'static str| parameters.iter().filter(move |it| it["in"] == place);
            let path = of("path").fold(path.clone(), |path, parameter| {
                let name = parameter["name"].as_str().unwrap();
                path.replace(&format!("{{{name}}}"), &example_of(document, parameter).expect(name))
            });
            let content = &operation["requestBody"]["content"]["application/json"];
            let several = content["examples"].as_object().into_iter().flatten();
            let bodies =
                content.get("example").into_iter().chain(several.map(|(_, example)| &example["value"]));
            let bodies: Vec<Option<Value>> = bodies.cloned().map(Some).collect();
            let has_body = operation.get("requestBody").is_some();
            assert_eq!(bodies.is_empty(), !has_body, "{method} {path} has a body and no example of one");
            let queries = of("query").filter(|parameter| parameter["example"].is_string());
            let queries = queries.map(|it| {
                (it["name"].as_str().unwrap().to_owned(), it["example"].as_str().unwrap().to_owned())
            });
            let needs_one = of("query").any(|it| it["required"] == true);
            let without = if needs_one { None } else { Some(None) };
            let queries: Vec<_> = without.into_iter().chain(queries.map(Some)).collect();
            for body in if has_body { bodies } else { vec![None] } {
                for query in &queries {
                    let (method, path, query, body) =
                        (method.clone(), path.clone(), query.clone(), body.clone());
                    examples.push(Example { method, path, query, body });
                }
            }
        }
    }
    examples
}

#[tokio::test]
async fn every_example_of_the_document_runs_as_it_stands() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let examples = examples(&document());
    assert!(examples.len() > 12, "{}", examples.len());
    for Example { method, path, query, body } in examples {
        // The time that it shows may still be to come.
        let may_be_empty = query.as_ref().is_some_and(|(name, _)| name == "since");
        let about = format!("{method} {path} {query:?} {body:?}");
        let mut request = sandbox.api().request(method, &path).query(&query.into_iter().collect::<Vec<_>>());
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = Answer::to(request).await;
        assert!((200..300).contains(&answer.status), "{about}: {answer:?}");
        let found = answer.body.get("rows").or(answer.body.get("data")).and_then(Value::as_array);
        assert!(found.is_none_or(|rows| may_be_empty || !rows.is_empty()), "{about}: it shows nothing");
    }
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}

/// The first key that the README makes, and every call that it shows.
#[test]
fn the_first_key_of_the_readme_opens_what_the_readme_calls() {
    let readme = include_str!("../../README.md").replace("\\\n", " ");
    let made = readme.lines().find(|line| line.contains("messaging-service key create")).unwrap();
    let scopes: Vec<&str> =
        made.split("--scope ").skip(1).map(|rest| rest.split(' ').next().unwrap()).collect();
    let document = document();
    let mut calls = 0;
    for line in readme.lines().filter(|line| line.trim().starts_with("curl ") && line.contains("/v1/")) {
        let path = line.split_whitespace().find_map(|word| word.split_once("/v1/")).unwrap().1;
        let method = if line.contains(" -d ") { "post" } else { "get" };
        let security = &document["paths"][format!("/v1/{path}")][method]["security"][0]["key"];
        let wanted = security.as_array().unwrap_or_else(|| panic!("{method} {path} is not documented"));
        assert!(wanted.iter().all(|scope| scopes.contains(&scope.as_str().unwrap())), "{line}: {scopes:?}");
        calls += 1;
    }
    assert!(calls >= 5, "{calls}");
}
