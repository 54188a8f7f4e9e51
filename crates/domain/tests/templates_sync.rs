//! Keeping an account's numbers and templates as the network has them.
//!
//! A mock that a test did not set up panics when it is called: "the store is left alone" is said by leaving
//! it out.
#![expect(clippy::clone_on_ref_ptr, clippy::unwrap_used, reason = "test support")]

use std::sync::{Arc, Mutex};

use domain::{
    audit::{Acting, Action},
    channels::{ConnectError, ListedNumber, NumberHealth, ports::NetworkError},
    errors::StoreError,
    templates::{SyncAccount, SyncReport, Template, TemplateStatus, ports::DueAccount},
    testing::{ManualClock, a_code_template, a_moment, a_number, a_template, a_workspace, an_account},
};
use time::ext::NumericalDuration;

use crate::inbound::Sync;

/// The ports around a reading, and the templates that were kept.
#[derive(Default)]
struct World {
    ports: Sync,
    kept: Arc<Mutex<Option<Vec<Template>>>>,
}

impl World {
    /// The network lists one number and these templates, and both are kept.
    fn listing(templates: Vec<Template>) -> Self {
        let mut world = Self::default().with_numbers();
        world.ports.network.expect_templates().returning(move |_| Ok(templates.clone()));
        let kept = world.kept.clone();
        world
            .ports
            .templates
            .expect_replace()
            .withf(|workspace, _, _, now, asked| {
                *workspace == a_workspace().id && *now == a_moment() && asked.is_none()
            })
            .returning(move |_, _, templates, _, _| {
                *kept.lock().unwrap() = Some(templates.to_vec());
                Ok(())
            });
        world
    }

    fn with_numbers(mut self) -> Self {
        self.ports.numbers.expect_numbers().returning(|_, _| Ok(vec![a_listed_number()]));
        self.ports
            .accounts
            .expect_replace_numbers()
            .withf(|workspace, _, numbers, _| {
                *workspace == a_workspace().id && numbers == [a_listed_number()]
            })
            .once()
            .returning(|_, _, _, _| Ok(()));
        self
    }

    fn use_case(self) -> SyncAccount {
        self.ports.use_case(Arc::new(ManualClock::at(a_moment())))
    }

    /// Reads [`an_account`]: the report, and the templates that were kept.
    async fn read(self) -> (SyncReport, Vec<Template>) {
        let kept = self.kept.clone();
        let report = self.use_case().run(&an_account()).await.unwrap();
        let kept = kept.lock().unwrap().take().unwrap();
        (report, kept)
    }
}

fn a_listed_number() -> ListedNumber {
    let number = a_number(0, 1);
    ListedNumber {
        network_id: number.network_id,
        phone: number.phone,
        can_send: true,
        health: NumberHealth::default(),
    }
}

/// Its codes live five minutes; the network would deliver them for ten.
fn a_late_template() -> Template {
    Template { send_ttl_seconds: Some(600), ..a_code_template("login_code") }
}

fn a_due_account() -> DueAccount {
    DueAccount { workspace: a_workspace().id, account: an_account().id }
}

fn unavailable() -> NetworkError {
    NetworkError::Unavailable("status 503".to_owned())
}

#[pollster::test]
async fn what_the_network_lists_is_kept_as_it_is() {
    let listed = vec![a_template("order_ready"), a_code_template("login_code")];
    let (report, kept) = World::listing(listed.clone()).read().await;
    assert_eq!(kept, listed);
    assert_eq!(report, SyncReport { templates: 2, validity_problems: vec![] });
}

#[pollster::test]
async fn an_account_that_has_no_templates_any_more_keeps_none() {
    let (report, kept) = World::listing(vec![]).read().await;
    assert_eq!((report.templates, kept), (0, vec![]));
}

#[pollster::test]
async fn a_template_whose_message_outlives_its_code_is_corrected_at_the_network() {
    let mut world = World::listing(vec![a_template("order_ready"), a_late_template()]);
    world
        .ports
        .network
        .expect_set_validity()
        .withf(|_, template, seconds| template == "901" && *seconds == 300)
        .once()
        .returning(|_, _, _| Ok(()));
    let (report, kept) = world.read().await;
    assert_eq!(kept, [a_template("order_ready"), a_code_template("login_code")]);
    assert_eq!(report.validity_problems, []);
}

#[pollster::test]
async fn a_template_that_is_being_judged_is_not_corrected_and_no_problem() {
    let judged = Template { status: TemplateStatus::Pending, ..a_late_template() };
    let (report, kept) = World::listing(vec![judged.clone()]).read().await;
    assert_eq!((report.validity_problems, kept), (vec![], vec![judged]));
}

#[pollster::test]
async fn a_correction_that_the_network_refuses_is_kept_as_a_problem_and_harms_nothing_else() {
    let mut world = World::listing(vec![a_late_template(), a_template("order_ready")]);
    world.ports.network.expect_set_validity().returning(|_, _, _| {
        Err(NetworkError::Refused { code: 100, message: "cannot be edited now".to_owned() })
    });
    let (report, kept) = world.read().await;
    let [late, other] = kept.as_slice() else { panic!("two templates") };
    assert_eq!(late.send_ttl_seconds, Some(600));
    assert!(late.validity_problem.as_deref().is_some_and(|problem| problem.contains("cannot be edited now")));
    assert_eq!(*other, a_template("order_ready"));
    let [(name, language, problem)] = report.validity_problems.as_slice() else { panic!("one problem") };
    assert_eq!((name.as_str(), language.as_str()), ("login_code", "ar"));
    assert_eq!(Some(problem), late.validity_problem.as_ref());
}

#[pollster::test]
async fn numbers_that_the_network_does_not_list_now_stay_and_so_do_the_templates() {
    let mut world = World::default();
    world.ports.numbers.expect_numbers().returning(|_, _| Err(unavailable()));
    let answer = world.use_case().run(&an_account()).await;
    assert!(matches!(answer, Err(ConnectError::Network(NetworkError::Unavailable(_)))), "{answer:?}");
}

#[pollster::test]
async fn templates_that_the_network_does_not_list_now_stay() {
    let mut world = World::default().with_numbers();
    world.ports.network.expect_templates().returning(|_| Err(unavailable()));
    let answer = world.use_case().run(&an_account()).await;
    assert!(matches!(answer, Err(ConnectError::Network(NetworkError::Unavailable(_)))), "{answer:?}");
}

#[pollster::test]
async fn a_due_account_is_taken_for_a_quarter_of_an_hour_and_read() {
    let mut world = World::listing(vec![a_template("order_ready")]);
    world
        .ports
        .templates
        .expect_claim_due()
        .withf(|workspace, account, now, next| {
            let due = DueAccount { workspace: *workspace, account: *account };
            due == a_due_account() && (*now, *next) == (a_moment(), a_moment() + 15.minutes())
        })
        .once()
        .returning(|_, _, _, _| Ok(true));
    world.ports.accounts.expect_find().returning(|_, _| Ok(Some(an_account())));
    let report = world.use_case().run_due(a_due_account()).await.unwrap();
    assert_eq!(report.map(|report| report.templates), Some(1));
}

#[pollster::test]
async fn an_account_that_another_node_has_taken_is_left_alone() {
    let mut world = World::default();
    world.ports.templates.expect_claim_due().returning(|_, _, _, _| Ok(false));
    assert_eq!(world.use_case().run_due(a_due_account()).await.unwrap(), None);
}

#[pollster::test]
async fn an_account_that_is_gone_is_not_asked_for() {
    let mut world = World::default();
    world.ports.templates.expect_claim_due().returning(|_, _, _, _| Ok(true));
    world.ports.accounts.expect_find().returning(|_, _| Ok(None));
    world.ports.accounts.expect_find_by_network_id().returning(|_, _| Ok(None));
    let use_case = world.use_case();
    assert_eq!(use_case.run_due(a_due_account()).await.unwrap(), None);
    assert_eq!(use_case.run_for(a_workspace().id, "waba-0").await.unwrap(), None);
}

#[pollster::test]
async fn a_failing_store_is_told() {
    let mut world = World::default();
    world
        .ports
        .templates
        .expect_claim_due()
        .returning(|_, _, _, _| Err(StoreError::Unavailable("gone".to_owned())));
    let answer = world.use_case().run_due(a_due_account()).await;
    assert!(matches!(answer, Err(ConnectError::Store(StoreError::Unavailable(_)))), "{answer:?}");
}

#[pollster::test]
async fn a_reading_that_somebody_asks_for_is_logged() {
    let mut world = World::default().with_numbers();
    world.ports.accounts.expect_find().returning(|_, _| Ok(Some(an_account())));
    world.ports.network.expect_templates().returning(|_| Ok(vec![]));
    world
        .ports
        .templates
        .expect_replace()
        .withf(|workspace, _, _, _, asked| {
            *workspace == a_workspace().id
                && asked.as_ref().is_some_and(|entry| {
                    let subject = entry.subject.as_deref() == Some(&*an_account().network_id);
                    (entry.action, entry.at) == (Action::AccountSynced, a_moment()) && subject
                })
        })
        .once()
        .returning(|_, _, _, _, _| Ok(()));
    let acting = Acting::operator(a_workspace().id);
    let report = world.use_case().run_by(acting, an_account().id).await.unwrap();
    assert_eq!(report.map(|report| report.templates), Some(0));
}

#[pollster::test]
async fn an_account_that_is_not_connected_is_not_read() {
    let mut world = World::default();
    world.ports.accounts.expect_find().returning(|_, _| Ok(None));
    let acting = Acting::operator(a_workspace().id);
    assert!(world.use_case().run_by(acting, an_account().id).await.unwrap().is_none());
}
