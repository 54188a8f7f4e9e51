//! A workspace's own key to the installation's language model.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    model::{ModelAnswer, ModelError, ModelRequest},
    model_key::{KeptModelKey, ModelKey, ModelKeyState},
    models::{Models, Prices},
    ports::{LanguageModel, ModelByKey, ModelKeyStore},
};
use crate::{
    audit::{Acting, Action},
    clock::Clock,
    deps::Deps,
    errors::StoreError,
    ids::{ModelKeyId, WorkspaceId},
    systems::SecretError,
};

/// Models of a workspace: the installation's, or the first of them with a key of the workspace's own.
#[derive(Clone)]
pub struct WorkspaceModels {
    pub installation: Models,
    /// `None` if workspaces may have no keys of their own.
    pub own: Option<OwnModels>,
}

/// The model that is asked with workspaces' own keys.
#[derive(Clone)]
pub struct OwnModels {
    pub keys: Arc<dyn ModelKeyStore>,
    pub model: Arc<dyn ModelByKey>,
    pub clock: Arc<dyn Clock>,
}

impl From<Models> for WorkspaceModels {
    fn from(installation: Models) -> Self {
        Self { installation, own: None }
    }
}

impl WorkspaceModels {
    /// Returns the workspace's models. With a key of its own there is no fallback: what the workspace pays
    /// for itself is neither put on the installation's bill nor shown to another vendor.
    pub async fn of(&self, workspace: WorkspaceId) -> Result<Models, StoreError> {
        let Some(own) = &self.own else { return Ok(self.installation.clone()) };
        let Some(kept) = own.keys.open(workspace).await? else { return Ok(self.installation.clone()) };
        let model = own.model.with_key(&kept.key);
        let model = Arc::new(OwnModel { model, own: own.clone(), workspace, kept });
        let Models { prices, reads_pictures, .. } = self.installation;
        let prices = Prices { fallback: None, ..prices };
        Ok(Models { prices, reads_pictures, ..Models::only(model) })
    }
}

/// A model that is asked with a workspace's key, and records whether its server refuses the key.
struct OwnModel {
    model: Arc<dyn LanguageModel>,
    own: OwnModels,
    workspace: WorkspaceId,
    kept: KeptModelKey,
}

#[async_trait]
impl LanguageModel for OwnModel {
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError> {
        let answer = self.model.answer(request, within).await;
        let refused = match &answer {
            Ok(_) => Some(None),
            Err(ModelError::KeyRefused) => Some(self.kept.refused_at.or_else(|| Some(self.own.clock.now()))),
            // Other failures say nothing of the key.
            Err(_) => None,
        };
        if let Some(refused_at) = refused
            && refused_at != self.kept.refused_at
        {
            // If this cannot be stored, the next answer stores it.
            let _kept = self.own.keys.set_refused(self.workspace, self.kept.id, refused_at).await;
        }
        answer
    }
}

/// Reason a key was not stored.
#[derive(Debug, thiserror::Error)]
pub enum ModelKeyError {
    /// The installation has no model, or its operator does not let workspaces pay for one.
    #[error("this installation does not let workspaces use a key of their own: an operator allows it")]
    NotAllowed,
    #[error("{0}")]
    Invalid(#[from] SecretError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that sets and removes workspaces' keys.
pub struct ManageModelKey {
    pub keys: Arc<dyn ModelKeyStore>,
    pub allowed: bool,
    pub deps: Deps,
}

impl ManageModelKey {
    /// Returns the state of the workspace's key; `None` if workspaces may have none.
    pub async fn state(&self, workspace: WorkspaceId) -> Result<Option<ModelKeyState>, StoreError> {
        if !self.allowed {
            return Ok(None);
        }
        Ok(Some(self.keys.state(workspace).await?.unwrap_or_default()))
    }

    /// Stores a key in place of the former one. The next turn is the first to try it.
    pub async fn set(&self, acting: Acting, typed: &str) -> Result<ModelKeyState, ModelKeyError> {
        if !self.allowed {
            return Err(ModelKeyError::NotAllowed);
        }
        let (now, id) = (self.deps.clock.now(), ModelKeyId::new(&*self.deps.ids));
        let kept = KeptModelKey { id, key: ModelKey::parse(typed)?, refused_at: None };
        let workspace = acting.workspace;
        let entry = acting.does(Action::ModelKeySet, now, &*self.deps.ids);
        self.keys.keep(workspace, &kept, &entry).await?;
        Ok(ModelKeyState { set_at: Some(now), refused_at: None })
    }

    /// Removes the key; `false` if there is none. A key can be removed even where none may be set any more.
    pub async fn remove(&self, acting: Acting) -> Result<bool, StoreError> {
        let workspace = acting.workspace;
        let entry = acting.does(Action::ModelKeyRemoved, self.deps.clock.now(), &*self.deps.ids);
        self.keys.remove(workspace, &entry).await
    }
}

#[cfg(test)]
mod tests {
    use pollster::FutureExt;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::*;
    use crate::{
        assistant::{
            TokenUsage,
            ports::{MockLanguageModel, MockModelByKey, MockModelKeyStore},
        },
        testing::{ManualClock, a_moment},
    };

    fn workspace() -> WorkspaceId {
        Uuid::from_u128(1).into()
    }

    fn key() -> ModelKey {
        ModelKey::parse("sk-of-the-workspace").unwrap()
    }

    fn kept(refused_at: Option<OffsetDateTime>) -> KeptModelKey {
        KeptModelKey { id: Uuid::from_u128(2).into(), key: key(), refused_at }
    }

    fn words() -> ModelAnswer {
        ModelAnswer { text: "هلا".to_owned(), calls: Vec::new(), usage: Some(TokenUsage::default()) }
    }

    fn never_asked() -> Models {
        let mut model = MockLanguageModel::new();
        model.expect_answer().never();
        Models::only(Arc::new(model))
    }

    #[derive(Clone, Copy)]
    enum Settled {
        Nothing,
        Taken,
        Refused,
    }

    /// Returns models that use `kept` and whose server gives `answer`; expects that `settled` is recorded.
    fn models(
        kept: KeptModelKey,
        answer: Result<ModelAnswer, ModelError>,
        settled: Settled,
    ) -> WorkspaceModels {
        let mut keys = MockModelKeyStore::new();
        let id = kept.id;
        keys.expect_open().return_once(move |_| Ok(Some(kept)));
        let refused_at = match settled {
            Settled::Refused => Some(a_moment()),
            Settled::Nothing | Settled::Taken => None,
        };
        match settled {
            Settled::Nothing => _ = keys.expect_set_refused().never(),
            Settled::Taken | Settled::Refused => {
                keys.expect_set_refused()
                    .withf(move |of, key, at| *of == workspace() && *key == id && *at == refused_at)
                    .once()
                    .return_once(|_, _, _| Ok(()));
            }
        }
        let mut model = MockModelByKey::new();
        model.expect_with_key().withf(|with| *with == key()).return_once(move |_| {
            let mut keyed = MockLanguageModel::new();
            keyed.expect_answer().return_once(move |_, _| answer);
            Arc::new(keyed)
        });
        let clock = Arc::new(ManualClock::at(a_moment()));
        let own = OwnModels { keys: Arc::new(keys), model: Arc::new(model), clock };
        WorkspaceModels { installation: never_asked(), own: Some(own) }
    }

    #[test]
    fn who_has_a_key_is_answered_with_it_alone_and_it_is_remembered_whether_it_is_taken() {
        let earlier = a_moment() - Duration::from_hours(1);
        for (refused_at, answer, settled) in [
            (None, Ok(words()), Settled::Nothing),
            (None, Err(ModelError::KeyRefused), Settled::Refused),
            (Some(earlier), Err(ModelError::KeyRefused), Settled::Nothing),
            (Some(earlier), Ok(words()), Settled::Taken),
            (Some(earlier), Err(ModelError::Refused { status: 500 }), Settled::Nothing),
            (None, Err(ModelError::Refused { status: 429 }), Settled::Nothing),
        ] {
            let models = models(kept(refused_at), answer.clone(), settled);
            let own = models.of(workspace()).block_on().unwrap();
            assert!(own.fallback.is_none());
            let request =
                ModelRequest { instructions: String::new(), said: vec![], tools: vec![], longest_answer: 1 };
            assert_eq!(own.first.answer(&request, Duration::from_secs(1)).block_on(), answer);
        }
    }

    #[test]
    fn who_has_none_is_answered_by_the_installations_models() {
        let mut keys = MockModelKeyStore::new();
        keys.expect_open().return_once(|_| Ok(None));
        let mut model = MockModelByKey::new();
        model.expect_with_key().never();
        let clock = Arc::new(ManualClock::at(a_moment()));
        let own = OwnModels { keys: Arc::new(keys), model: Arc::new(model), clock };
        let installation = never_asked();
        let models = WorkspaceModels { installation: installation.clone(), own: Some(own) };
        assert!(Arc::ptr_eq(&models.of(workspace()).block_on().unwrap().first, &installation.first));
    }

    #[test]
    fn a_key_is_printed_nowhere() {
        assert_eq!(format!("{:?}", kept(None)).matches("sk-").count(), 0);
    }
}
