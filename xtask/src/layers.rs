//! Rules for dependencies between crates: arrows point inwards, and no adapter knows another.
//!
//! `deny.toml` guards the frameworks as well, from their side. Here the rules distinguish what ships from
//! what only tests use, and a framework that reaches `domain` through another crate is found too.

use std::collections::{BTreeMap, BTreeSet};

/// A package that depends on another, by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Whether it is a development dependency: nothing that ships depends on it.
    pub(crate) only_tests: bool,
}

/// Allowed dependencies of one of our crates.
struct Layer {
    name: &'static str,
    /// Our crates that it may use.
    ours: &'static [&'static str],
    /// Our crates that its tests may use beside those.
    in_tests: &'static [&'static str],
    /// Frameworks that it may use. Tests may use any.
    frameworks: &'static [&'static str],
}

/// Packages that only some crates may use, by the beginning of the name.
const FRAMEWORKS: &[&str] = &["actix", "diesel", "reqwest", "tokio-postgres", "tokio"];

const LAYERS: &[Layer] = &[
    Layer {
        name: "assistant-evaluation",
        // Not shipped. Judges a program that it starts; of the shop it reads the catalogue.
        ours: &["reference-shop"],
        in_tests: &[],
        // The receiver of events is a web server; the customers, and the model that plays them, need a
        // client.
        frameworks: &["actix", "reqwest", "tokio"],
    },
    Layer {
        name: "bench",
        // Not shipped. Makes keys and names as the service does; measures a program that it starts, except
        // for what needs no service: parsing numbers, and calling customers' own systems.
        ours: &[
            "adapter-custom-system",
            "adapter-vault",
            // For servers that flood.
            "bounded-http",
            "domain",
            "guarded-http",
            "local-postgres",
            "model-simulator",
            "network-simulator",
            "reference-shop",
        ],
        in_tests: &[],
        // A bare route to compare with and the receiver of events are web servers, a bare loop of posts is a
        // client; the database is seeded in SQL.
        frameworks: &["actix", "reqwest", "tokio-postgres", "tokio"],
    },
    Layer {
        name: "chaos",
        // Not shipped. Tests a program that it starts, as the bench does.
        ours: &["bench", "network-simulator"],
        in_tests: &[],
        // The receivers of webhooks are web servers, the clients of the API are clients.
        frameworks: &["actix", "reqwest", "tokio-postgres", "tokio"],
    },
    Layer { name: "domain", ours: &[], in_tests: &[], frameworks: &[] },
    Layer {
        name: "adapter-assistant",
        ours: &["bounded-http", "domain", "tls-trust"],
        in_tests: &[],
        frameworks: &["reqwest", "tokio"],
    },
    Layer { name: "adapter-credentials", ours: &["domain"], in_tests: &[], frameworks: &["tokio"] },
    Layer {
        name: "adapter-custom-system",
        ours: &["domain", "guarded-http"],
        in_tests: &[],
        frameworks: &["tokio"],
    },
    Layer {
        name: "adapter-mail",
        ours: &["domain", "tls-trust"],
        in_tests: &["bounded-http"],
        frameworks: &["tokio"],
    },
    Layer {
        name: "adapter-http",
        ours: &["contact-file", "dashboard-pages", "domain", "trace-context"],
        in_tests: &[],
        frameworks: &["actix", "tokio"],
    },
    Layer {
        name: "adapter-messenger",
        ours: &["domain", "graph-client"],
        in_tests: &["network-simulator"],
        frameworks: &["tokio"],
    },
    Layer {
        name: "adapter-postgres",
        // `local-postgres` behind its feature `testing`.
        ours: &["domain", "local-postgres", "tls-trust", "trace-context"],
        in_tests: &[],
        frameworks: &["diesel", "tokio-postgres", "tokio"],
    },
    Layer {
        name: "adapter-objects",
        ours: &["bounded-http", "domain", "tls-trust"],
        in_tests: &[],
        // `object_store` brings its own use of reqwest, without TLS unless somebody turns it on.
        frameworks: &["reqwest", "tokio"],
    },
    Layer {
        name: "adapter-transcription",
        ours: &["bounded-http", "domain", "tls-trust"],
        in_tests: &[],
        frameworks: &["reqwest", "tokio"],
    },
    Layer { name: "adapter-vault", ours: &["domain"], in_tests: &[], frameworks: &[] },
    Layer {
        name: "adapter-webhooks",
        ours: &["domain", "guarded-http", "trace-context"],
        in_tests: &["network-simulator"],
        frameworks: &["tokio"],
    },
    Layer {
        name: "adapter-whatsapp",
        ours: &["domain", "graph-client"],
        in_tests: &["network-simulator"],
        frameworks: &["tokio"],
    },
    Layer {
        name: "bounded-http",
        ours: &["trace-context"],
        in_tests: &["tls-trust"],
        frameworks: &["reqwest", "tokio"],
    },
    Layer { name: "contact-file", ours: &["domain"], in_tests: &[], frameworks: &[] },
    Layer {
        name: "contract-check",
        ours: &["guarded-http"],
        in_tests: &["reference-shop"],
        frameworks: &["tokio"],
    },
    Layer { name: "dashboard-pages", ours: &["domain"], in_tests: &[], frameworks: &[] },
    Layer {
        name: "graph-client",
        ours: &["bounded-http", "tls-trust", "trace-context"],
        in_tests: &[],
        frameworks: &["reqwest", "tokio"],
    },
    Layer {
        name: "guarded-http",
        ours: &["bounded-http", "tls-trust"],
        in_tests: &[],
        frameworks: &["reqwest", "tokio"],
    },
    Layer { name: "local-postgres", ours: &[], in_tests: &[], frameworks: &["tokio-postgres", "tokio"] },
    // Has a hostile document before it, in a process of its own: it knows nothing of ours.
    Layer { name: "pdf-text", ours: &[], in_tests: &[], frameworks: &[] },
    // Sees what a model would: the request alone.
    Layer {
        name: "model-simulator",
        ours: &["simulator-kit"],
        in_tests: &["domain"],
        frameworks: &["actix", "tokio"],
    },
    Layer {
        name: "network-simulator",
        ours: &["simulator-kit"],
        in_tests: &[],
        frameworks: &["actix", "reqwest", "tokio"],
    },
    // Plays a customer's own system: of the service it knows the contract alone.
    Layer {
        name: "reference-shop",
        ours: &["simulator-kit"],
        in_tests: &[],
        frameworks: &["actix", "tokio"],
    },
    // Not shipped. Reads the shop's shelves in memory.
    Layer { name: "search-evaluation", ours: &["domain", "reference-shop"], in_tests: &[], frameworks: &[] },
    Layer {
        name: "server",
        ours: &[
            "adapter-assistant",
            "adapter-credentials",
            "adapter-custom-system",
            "adapter-http",
            "adapter-mail",
            "adapter-messenger",
            "adapter-objects",
            "adapter-postgres",
            "adapter-transcription",
            "adapter-vault",
            "adapter-webhooks",
            "adapter-whatsapp",
            "contact-file",
            "contract-check",
            "domain",
            "graph-client",
            "guarded-http",
            "local-postgres",
            "model-simulator",
            "network-simulator",
            "pdf-text",
            "reference-shop",
            "tls-trust",
        ],
        in_tests: &["assistant-evaluation", "bounded-http", "chaos"],
        // The sandbox's receiver of webhooks is a web server, and its demo is a client of the API.
        frameworks: &["actix", "reqwest", "tokio"],
    },
    Layer { name: "simulator-kit", ours: &[], in_tests: &[], frameworks: &["actix", "tokio"] },
    Layer { name: "tls-trust", ours: &[], in_tests: &[], frameworks: &[] },
    Layer { name: "trace-context", ours: &[], in_tests: &[], frameworks: &[] },
    Layer {
        name: "xtask",
        ours: &["local-postgres"],
        in_tests: &[],
        // Asks a cluster for the routes of statements.
        frameworks: &["tokio-postgres", "tokio"],
    },
];

/// Lists the broken rules, a line for each.
pub(crate) fn broken(members: &[String], edges: &[Edge]) -> Vec<String> {
    let members: BTreeSet<_> = members.iter().map(String::as_str).collect();
    let mut broken = Vec::new();
    for &member in &members {
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == member) else {
            broken.push(format!("{member} has no layer: give it one in xtask/src/layers.rs"));
            continue;
        };
        for edge in edges.iter().filter(|edge| edge.from == member) {
            if !layer.allows(edge, &members) {
                broken.push(format!("{member} may not depend on {}", edge.to));
            }
        }
    }
    broken.extend(frameworks_reaching("domain", edges));
    broken.sort();
    broken.dedup();
    broken
}

impl Layer {
    fn allows(&self, edge: &Edge, members: &BTreeSet<&str>) -> bool {
        let to = edge.to.as_str();
        if members.contains(to) {
            return self.ours.contains(&to) || (edge.only_tests && self.in_tests.contains(&to));
        }
        edge.only_tests || framework(to).is_none_or(|it| self.frameworks.contains(&it))
    }
}

/// Returns the framework that a package belongs to: the first that its name begins with.
fn framework(package: &str) -> Option<&'static str> {
    FRAMEWORKS.iter().copied().find(|it| package.starts_with(it))
}

/// Lists the frameworks that shipped code of this crate depends on through other crates, each with the path
/// there.
fn frameworks_reaching(start: &str, edges: &[Edge]) -> Vec<String> {
    let mut uses: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| !edge.only_tests) {
        uses.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([start]);
    let mut ways = vec![vec![start]];
    while let Some(way) = ways.pop() {
        let next = way.last().and_then(|last| uses.get(last)).into_iter().flatten().copied();
        for package in next {
            if !seen.insert(package) {
                continue;
            }
            let mut further = way.clone();
            further.push(package);
            if framework(package).is_some() {
                found
                    .push(format!("{start} may not depend on {package} (by way of {})", further.join(" → ")));
            } else {
                ways.push(further);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a -> b` ships, `a ~> b` is for tests.
    fn check(arrows: &[&str]) -> Vec<String> {
        let edges: Vec<_> = arrows
            .iter()
            .map(|arrow| {
                let (from, sign, to) = match arrow.split(' ').collect::<Vec<_>>()[..] {
                    [from, sign, to] => (from.to_owned(), sign, to.to_owned()),
                    _ => panic!("{arrow}"),
                };
                Edge { from, to, only_tests: sign == "~>" }
            })
            .collect();
        let members: Vec<_> = LAYERS.iter().map(|layer| layer.name.to_owned()).collect();
        broken(&members, &edges)
    }

    #[test]
    fn arrows_that_point_inwards_are_allowed() {
        for arrow in [
            "server -> adapter-http",
            "server -> domain",
            "server -> actix-web",
            "adapter-http -> domain",
            "adapter-http -> actix-web",
            "adapter-postgres -> diesel-async",
            "adapter-postgres -> local-postgres",
            "adapter-postgres -> tokio-postgres-rustls",
            "adapter-webhooks -> guarded-http",
            "adapter-whatsapp -> graph-client",
            "adapter-whatsapp ~> network-simulator",
            "adapter-whatsapp ~> actix-web",
            "guarded-http -> reqwest",
            "contract-check -> guarded-http",
            "contract-check ~> reference-shop",
            "model-simulator ~> domain",
            "server -> contract-check",
            "assistant-evaluation -> reference-shop",
            "bench -> adapter-vault",
            "bench -> tokio-postgres",
            "domain -> time",
            "domain ~> tokio",
            "xtask -> local-postgres",
        ] {
            assert_eq!(check(&[arrow]), Vec::<String>::new(), "{arrow}");
        }
    }

    #[test]
    fn every_other_arrow_is_named() {
        for arrow in [
            "assistant-evaluation -> domain",
            "bench -> adapter-postgres",
            "bench -> server",
            "server -> bench",
            "domain -> adapter-postgres",
            "domain ~> adapter-postgres",
            "domain -> local-postgres",
            "domain -> tokio",
            "domain -> actix-web",
            "domain -> diesel",
            "domain -> reqwest",
            "adapter-http -> adapter-postgres",
            "adapter-http ~> adapter-postgres",
            "adapter-http -> graph-client",
            "adapter-http -> diesel",
            "adapter-http -> reqwest",
            "adapter-http -> tokio-postgres",
            "adapter-vault -> tokio",
            "adapter-webhooks -> graph-client",
            "adapter-webhooks -> reqwest",
            "adapter-webhooks -> network-simulator",
            "adapter-whatsapp -> guarded-http",
            "adapter-whatsapp -> actix-web",
            "contract-check -> domain",
            "contract-check -> reference-shop",
            "contract-check -> reqwest",
            "reference-shop -> domain",
            "graph-client -> domain",
            "guarded-http -> domain",
            "local-postgres -> domain",
            "model-simulator -> domain",
            "network-simulator -> domain",
            "network-simulator ~> server",
            "server -> diesel",
            "server -> xtask",
            "xtask -> domain",
        ] {
            let (from, to) = arrow.split_once(' ').unwrap();
            let to = to.split_once(' ').unwrap().1;
            let broken = check(&[arrow]);
            assert!(broken.contains(&format!("{from} may not depend on {to}")), "{arrow}: {broken:?}");
        }
    }

    #[test]
    fn a_framework_reaches_the_core_through_no_other_crate() {
        let hidden = ["domain -> helpful", "helpful -> useful", "useful -> tokio", "helpful ~> reqwest"];
        assert_eq!(
            check(&hidden),
            ["domain may not depend on tokio (by way of domain → helpful → useful → tokio)"]
        );
    }

    #[test]
    fn a_crate_without_a_layer_is_named() {
        assert_eq!(
            broken(&["brand-new".to_owned()], &[]),
            ["brand-new has no layer: give it one in xtask/src/layers.rs"]
        );
    }
}
