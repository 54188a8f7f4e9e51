//! Connecting by the network's own dialog: it sends the browser back with a code, which is exchanged for a
//! token.

use std::{sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use secrecy::SecretString;
use url::Url;

use super::ports::{ConnectError, NetworkSignUp, SignUpStates};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
    vault::Vault,
};

/// Time to go through the dialog.
const SIGN_UP_LIFE: Duration = Duration::from_mins(10);

/// Purpose of the keyed hash of a state.
const PURPOSE: &str = "sign-up-state";
/// Longest code that is exchanged, in bytes.
const LONGEST_CODE: usize = 4096;

/// Address of the dialog, and its parameters.
#[derive(Debug, Clone)]
pub struct SignUpDialog {
    pub url: Url,
    pub app_id: u64,
    /// Id at the network of what the dialog asks for.
    pub configuration: String,
    /// Address that the dialog leads back to.
    pub back: Url,
}

/// Session in whose browser the dialog is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignUpBy {
    pub workspace: WorkspaceId,
    pub member: MemberId,
    pub session: SessionId,
}

/// Parameters that the browser came back with.
#[derive(Debug, Clone)]
pub struct CameBack {
    /// Random text that the browser left with.
    pub state: String,
    /// Code that stands for the token; `None` if the dialog was left or refused.
    pub code: Option<SecretString>,
}

/// Reason that there is no token.
#[derive(Debug, thiserror::Error)]
pub enum SignUpError {
    #[error("this installation has no sign-up at the network")]
    NotOffered,
    #[error("this sign-up was not begun here, is over, or took more than ten minutes; begin again")]
    NotBegun,
    #[error("the network's dialog was left without agreeing")]
    Denied,
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

impl From<StoreError> for SignUpError {
    fn from(error: StoreError) -> Self {
        Self::Connect(error.into())
    }
}

/// Use case that leads to the dialog and back.
#[derive(Clone)]
pub struct SignUp {
    /// `None` if the operator has set up no dialog.
    pub dialog: Option<SignUpDialog>,
    pub states: Arc<dyn SignUpStates>,
    pub network: Arc<dyn NetworkSignUp>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl SignUp {
    /// Returns whether there is a dialog.
    pub const fn is_offered(&self) -> bool {
        self.dialog.is_some()
    }

    /// Returns the dialog's address for this session. A sign-up that the session began before is over.
    ///
    /// # Errors
    /// [`SignUpError::NotOffered`] if no dialog is set up.
    pub async fn begin(&self, by: SignUpBy) -> Result<Url, SignUpError> {
        let dialog = self.dialog.as_ref().ok_or(SignUpError::NotOffered)?;
        let state = HEXLOWER.encode(&self.vault.random());
        let until = self.clock.now() + SIGN_UP_LIFE;
        let hash = self.hash(&state);
        self.states.begin_sign_up(by.workspace, by.member, by.session, hash, until).await?;
        let mut url = dialog.url.clone();
        url.query_pairs_mut()
            .append_pair("client_id", &dialog.app_id.to_string())
            .append_pair("redirect_uri", dialog.back.as_str())
            .append_pair("state", &state)
            .append_pair("config_id", &dialog.configuration)
            .append_pair("response_type", "code")
            .append_pair("override_default_response_type", "true");
        Ok(url)
    }

    /// Exchanges the code for a token. The same state is never accepted again, whatever the result.
    pub async fn finish(&self, by: SignUpBy, came: CameBack) -> Result<SecretString, SignUpError> {
        let dialog = self.dialog.as_ref().ok_or(SignUpError::NotOffered)?;
        let (hash, now) = (self.hash(&came.state), self.clock.now());
        if !self.states.end_sign_up(by.workspace, by.member, by.session, hash, now).await? {
            return Err(SignUpError::NotBegun);
        }
        let code = came.code.ok_or(SignUpError::Denied)?;
        if !(1..=LONGEST_CODE).contains(&secrecy::ExposeSecret::expose_secret(&code).len()) {
            return Err(SignUpError::Denied);
        }
        Ok(self.network.exchange(&code, &dialog.back).await.map_err(ConnectError::from)?)
    }

    fn hash(&self, state: &str) -> [u8; 32] {
        self.vault.keyed_hash(PURPOSE, state.as_bytes())
    }
}
