//! A bucket, and links that it serves itself.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::attachments::{
    ObjectKey,
    ports::{AttachmentLinks, LINK_LIFETIME, MediaError},
};
use object_store::{
    ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
    signer::{Method, Signer},
};
use secrecy::{ExposeSecret, SecretString};
use tls_trust::Trust;
use url::Url;

use crate::{Objects, SetupError, connector::Trusting};

/// Time limit of one call.
const CALL: Duration = Duration::from_secs(30);
/// Time limit of a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Time in which a call is repeated after a failure that may pass.
const RETRY: Duration = Duration::from_secs(15);

/// Address and credentials of a bucket.
#[derive(Clone)]
pub struct S3Config {
    /// Address of its service; `None` for Amazon's own.
    pub endpoint: Option<Url>,
    /// Name of the bucket.
    pub bucket: String,
    /// Region of the bucket.
    pub region: String,
    /// Id of its access key.
    pub access_key_id: String,
    /// Secret of its access key.
    pub secret_access_key: SecretString,
}

impl S3Config {
    /// Returns the origin of its links: the service's address without a path, as the bucket's name is in the
    /// path.
    pub fn origin(&self) -> String {
        match &self.endpoint {
            Some(endpoint) => endpoint.origin().ascii_serialization(),
            None => format!("https://s3.{}.amazonaws.com", self.region),
        }
    }
}

/// Leaves the keys out.
impl fmt::Debug for S3Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Config")
            .field("bucket", &self.bucket)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// Builds links that the bucket's service checks and serves.
#[derive(Clone)]
pub struct S3Links(Arc<AmazonS3>);

impl fmt::Debug for S3Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("S3Links(…)")
    }
}

impl Objects {
    /// Opens a store in a bucket whose service shows a trusted certificate, and the builder of links to its
    /// files. Nothing is requested yet.
    pub fn in_s3(config: &S3Config, trust: Trust) -> Result<(Self, S3Links), SetupError> {
        let is_http = config.endpoint.as_ref().is_some_and(|endpoint| endpoint.scheme() == "http");
        let connector = Trusting { trust, call: CALL, connect: CONNECT };
        let retry = RetryConfig { retry_timeout: RETRY, ..RetryConfig::default() };
        let builder = AmazonS3Builder::new()
            .with_bucket_name(&config.bucket)
            .with_region(&config.region)
            .with_access_key_id(&config.access_key_id)
            .with_secret_access_key(config.secret_access_key.expose_secret())
            .with_client_options(ClientOptions::new().with_allow_http(is_http))
            .with_http_connector(connector)
            .with_retry(retry);
        let builder = match &config.endpoint {
            Some(endpoint) => builder.with_endpoint(endpoint.as_str().trim_end_matches('/')),
            None => builder,
        };
        let unusable = |error: object_store::Error| SetupError::Bucket(error.to_string());
        // A single attempt tells why it failed; repeated ones only that time is up.
        let once = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let probe = builder.clone().with_retry(once).build().map_err(unusable)?;
        let store = Arc::new(builder.build().map_err(unusable)?);
        Ok((Self::in_bucket(Arc::<AmazonS3>::clone(&store), Arc::new(probe)), S3Links(store)))
    }
}

#[async_trait]
impl AttachmentLinks for S3Links {
    async fn link(&self, key: &ObjectKey) -> Result<String, MediaError> {
        let link = self.0.signed_url(Method::GET, &Path::from(key.as_str()), LINK_LIFETIME).await;
        let failed = |_| MediaError::Passing("a link could not be signed".to_owned());
        link.map(String::from).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use domain::attachments::{ObjectKey, ports::AttachmentLinks};
    use tls_trust::Trust;
    use url::Url;

    use super::S3Config;
    use crate::Objects;

    const KEY: &str = "0192f0c1-7a00-7000-8000-000000000001/0000000000000000000000000000000000000000000000000000000000000000.png";

    #[tokio::test]
    async fn links_lead_to_the_origin_that_pages_may_show_pictures_of() {
        for endpoint in [None, Some("https://files.example:9000/"), Some("http://127.0.0.1:9000")] {
            let config = S3Config {
                endpoint: endpoint.map(|endpoint| endpoint.parse().unwrap()),
                bucket: "files".to_owned(),
                region: "me-south-1".to_owned(),
                access_key_id: "id".to_owned(),
                secret_access_key: "the-secret".into(),
            };
            let (_, links) = Objects::in_s3(&config, Trust::default()).unwrap();
            let key = ObjectKey::read(KEY).unwrap();
            let link: Url = links.link(&key).await.unwrap().parse().unwrap();
            assert_eq!(link.origin().ascii_serialization(), config.origin(), "{endpoint:?}");
        }
    }
}
