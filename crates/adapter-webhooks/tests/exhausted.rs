//! A machine without room for another connection, by itself: no other test may run in such a process.

use std::{fs::File, os::fd::AsRawFd, sync::Arc};

use adapter_webhooks::{LIMITS, WebhookSender};
use domain::{
    testing::{ManualClock, a_due_delivery, a_moment},
    webhooks::ports::{DeliverySender, DueDelivery, NotMade},
};
use guarded_http::{GuardedClient, Policy};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[tokio::test]
async fn an_attempt_that_this_machine_has_no_files_for_is_not_made() {
    let policy = Policy { allowed: vec!["127.0.0.0/8".parse().unwrap()] };
    let client = GuardedClient::new(policy, LIMITS).unwrap();
    let sender = WebhookSender::new(client, Arc::new(ManualClock::at(a_moment())));
    let delivery = DueDelivery { url: "http://127.0.0.1:9/".to_owned(), ..a_due_delivery() };
    let allowed = getrlimit(Resource::Nofile);
    // The lowest that is free: what is opened next would be it.
    let next = u64::try_from(File::open("/dev/null").unwrap().as_raw_fd()).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(next), ..allowed }).unwrap();
    let attempted = sender.attempt(&delivery).await;
    setrlimit(Resource::Nofile, allowed).unwrap();
    assert_eq!(attempted, Err(NotMade("this machine can open no further connection".to_owned())));
    assert!(sender.attempt(&delivery).await.is_ok());
}
