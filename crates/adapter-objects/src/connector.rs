//! The client that a bucket is asked with.

use std::time::Duration;

use object_store::{
    ClientOptions, Error, Result,
    client::{HttpClient, HttpConnector},
};
use tls_trust::Trust;

/// Who calls.
const USER_AGENT: &str = "Messaging-Service/1.0";

/// Makes clients that trust whom this service trusts.
#[derive(Debug)]
pub(crate) struct Trusting {
    pub(crate) trust: Trust,
    /// How long one call may take.
    pub(crate) call: Duration,
    /// How long a connection may take.
    pub(crate) connect: Duration,
}

impl HttpConnector for Trusting {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient> {
        let failed = |source| Error::Generic { store: "S3", source };
        let tls = self.trust.client_config().map_err(|error| failed(error.into()))?;
        // A bucket says how long a file is: nothing may unpack it on the way.
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(USER_AGENT)
            .timeout(self.call)
            .connect_timeout(self.connect)
            .http1_only()
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .build();
        Ok(HttpClient::new(client.map_err(|error| failed(error.into()))?))
    }
}
