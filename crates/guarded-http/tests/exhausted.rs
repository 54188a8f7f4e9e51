//! A machine without room for another connection, by itself: no other test may run in such a process.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::{fs::File, os::fd::AsRawFd, time::Duration};

use guarded_http::{
    Bytes, CallError, GuardedClient, Limits, Method, Policy, Request, Url, header::HeaderMap,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;

async fn post(client: &GuardedClient, url: &str) -> CallError {
    let url = Url::parse(url).unwrap();
    let request = Request { method: Method::POST, url, headers: HeaderMap::new(), body: Bytes::new() };
    client.send(request).await.unwrap_err()
}

#[tokio::test]
async fn a_connection_that_this_machine_has_no_files_for_is_told_from_one_that_fails() {
    let limits = Limits { timeout: Duration::from_secs(20), max_body: 1024, max_redirects: 0 };
    let client =
        GuardedClient::new(Policy { allowed: vec!["127.0.0.0/8".parse().unwrap()] }, limits).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (by_number, by_name) =
        (format!("http://127.0.0.1:{port}/"), format!("http://127.0.0.1.nip.test:{port}/"));
    let allowed = getrlimit(Resource::Nofile);
    // The lowest that is free: what is opened next would be it.
    let next = u64::try_from(File::open("/dev/null").unwrap().as_raw_fd()).unwrap();
    setrlimit(Resource::Nofile, Rlimit { current: Some(next), ..allowed }).unwrap();
    let (number, name) = (post(&client, &by_number).await, post(&client, &by_name).await);
    setrlimit(Resource::Nofile, allowed).unwrap();
    assert_eq!((number, name), (CallError::Exhausted, CallError::Exhausted));

    drop(listener);
    assert_eq!(post(&client, &by_number).await, CallError::Refused);
    // A label longer than 63 bytes fits into no question, so none is asked of the network.
    let unaskable = format!("http://{}.invalid/", "x".repeat(64));
    assert_eq!(post(&client, &unaskable).await, CallError::Dns);
}
