//! What the guide asks an integrator to do, against what there is.

use super::GUIDE;
use crate::support::program;

/// The commands of the guide, and the call by which an owner does the same.
const SAME: [(&str, &str); 10] = [
    ("add", "POST /dashboard/api/webhooks"),
    ("ping", "POST /dashboard/api/webhooks/{id}/ping"),
    ("rotate", "POST /dashboard/api/webhooks/{id}/rotate"),
    ("standard-headers", "PATCH /dashboard/api/webhooks/{id}"),
    ("deliveries", "GET /dashboard/api/webhooks/{id}/deliveries"),
    ("delivery", "GET /dashboard/api/deliveries/{id}"),
    ("resume", "POST /dashboard/api/webhooks/{id}/resume"),
    ("resend-window", "POST /dashboard/api/webhooks/{id}/resends"),
    ("resend-progress", "GET /dashboard/api/resends/{id}"),
    ("resend", "POST /dashboard/api/deliveries/{id}/resend"),
];

#[test]
fn every_command_of_the_guide_stands_beside_the_call_by_which_an_owner_does_the_same() {
    let commands = GUIDE.split("messaging-service webhook ").skip(1);
    let commands = commands.map(|rest| rest.split([' ', '`', '\n']).next().unwrap());
    // It judges a delivery by itself: there is nothing to call.
    for command in commands.filter(|command| *command != "verify") {
        let (_, call) =
            SAME.iter().find(|(known, _)| *known == command).unwrap_or_else(|| panic!("{command}"));
        let beside = |line: &str| line.contains(&format!("webhook {command} ")) && line.contains(call);
        assert!(GUIDE.lines().any(beside), "{command}: {call}");
        assert!(
            program().args(["webhook", command, "--help"]).output().unwrap().status.success(),
            "{command}"
        );
    }
}

#[test]
fn every_call_of_the_guide_is_one_that_the_dashboard_answers() {
    let operations = adapter_http::dashboard_operations();
    let mut calls = 0;
    for (before, rest) in GUIDE.match_indices(" /dashboard/api/").map(|(at, _)| GUIDE.split_at(at)) {
        let method = before.rsplit('`').next().unwrap();
        let path = rest.trim_start().split(['`', '?', ' ', '\n']).next().unwrap();
        assert!(operations.iter().any(|it| it.method == method && it.path == path), "{method} {path}");
        calls += 1;
    }
    assert!(calls >= SAME.len(), "{calls}");
}
