//! Which template and which number, and what speaks against them.

use domain::{
    sending::{Catalogue, PlanLimitReason, Refusal, TemplateRequest},
    templates::{Template, TemplateStatus, validity_problem},
    testing::{a_number, a_template, catalogue_of},
};

use crate::plan::{a_catalogue, a_code_template, a_request, planned, with};

fn of_account(mut template: Template, account: u128, language: &str) -> Template {
    template.account = domain::testing::an_account_id(account);
    template.account_network_id = format!("waba-{account}");
    language.clone_into(&mut template.language);
    template
}

fn not_found(languages: &[&str]) -> Refusal {
    Refusal::TemplateNotFound { languages: languages.iter().map(|it| (*it).to_owned()).collect() }
}

#[test]
fn every_refusal_of_template_and_sender() {
    let from = |from: &str| TemplateRequest { from: Some(from.to_owned()), ..a_request() };
    let in_language = |language: &str| TemplateRequest { language: Some(language.to_owned()), ..a_request() };
    let paused = || with(|template| template.status = TemplateStatus::Paused);
    let not_paused_but =
        |reason: Option<String>| Refusal::TemplateNotApproved { status: TemplateStatus::Approved, reason };
    let late = || {
        let mut catalogue = a_code_template();
        catalogue.templates[0].validity_problem = Some("too late".to_owned());
        catalogue
    };
    let two_accounts = || {
        catalogue_of(
            vec![a_number(0, 1), a_number(1, 2)],
            vec![of_account(a_template("order_ready"), 1, "ar")],
        )
    };
    let unknown = |catalogue: &Catalogue| Refusal::UnknownSender {
        connected: catalogue.numbers.iter().map(|number| number.phone.clone()).collect(),
    };
    let disconnected = || catalogue_of(vec![], vec![a_template("order_ready")]);
    let no_channel = || Refusal::NoChannel(domain::channels::ChannelKind::Whatsapp);

    let cases: Vec<(&str, TemplateRequest, Catalogue, Refusal)> = vec![
        ("no such template", a_request(), catalogue_of(vec![a_number(0, 1)], vec![]), not_found(&[])),
        ("not in that language", in_language("fr"), a_catalogue(), not_found(&["ar"])),
        (
            "paused",
            a_request(),
            paused(),
            Refusal::TemplateNotApproved { status: TemplateStatus::Paused, reason: None },
        ),
        (
            "paused, before its sender is looked at",
            from("+10"),
            paused(),
            Refusal::TemplateNotApproved { status: TemplateStatus::Paused, reason: None },
        ),
        (
            "a code that could arrive after its end",
            TemplateRequest { variables: None, code: Some("1".to_owned()), ..a_request() },
            late(),
            not_paused_but(validity_problem(&late().templates[0])),
        ),
        ("an unknown sender", from("0771 000 0000"), a_catalogue(), unknown(&a_catalogue())),
        ("a sender that is no number", from("me"), a_catalogue(), unknown(&a_catalogue())),
        ("another account's sender", from("100000001"), two_accounts(), Refusal::TemplateNotOnNumber),
        ("a sender when none is connected", from("0770 000 0001"), disconnected(), unknown(&disconnected())),
        ("nothing connected", a_request(), disconnected(), no_channel()),
        (
            "nothing connected that has the template",
            a_request(),
            catalogue_of(vec![a_number(1, 1)], vec![a_template("order_ready")]),
            no_channel(),
        ),
    ];
    for (what, request, catalogue, refusal) in cases {
        assert_eq!(planned(&request, &catalogue).err(), Some(refusal), "{what}");
    }
}

#[test]
fn a_sender_is_known_by_its_id_and_by_its_number_in_any_spelling() {
    let catalogue = catalogue_of(vec![a_number(0, 1), a_number(0, 2)], vec![a_template("order_ready")]);
    for from in ["100000002", "+964 770 000 0002", "٠٧٧٠٠٠٠٠٠٠٢", "009647700000002"] {
        let request = TemplateRequest { from: Some(from.to_owned()), ..a_request() };
        assert_eq!(planned(&request, &catalogue).unwrap().number, a_number(0, 2), "{from}");
    }
}

#[test]
fn the_template_follows_sender_language_and_locale() {
    let template = || a_template("order_ready");
    let catalogue = catalogue_of(
        vec![a_number(1, 1), a_number(0, 2)],
        vec![
            of_account(template(), 0, "ar"),
            of_account(template(), 0, "en_US"),
            of_account(template(), 1, "fr"),
            of_account(template(), 1, "en_US"),
        ],
    );
    // The language comes before the number (docs/use/rest-api.md, "Template, language and number"): the
    // workspace's is Arabic, which the second number has.
    for (from, language, account, chosen) in [
        (None, None, 0, "ar"),
        (None, Some("ar"), 0, "ar"),
        (None, Some("en-US"), 1, "en_US"),
        (None, Some("en_us"), 1, "en_US"),
        (None, Some("EN-us"), 1, "en_US"),
        (None, Some("AR"), 0, "ar"),
        (Some("100000002"), None, 0, "ar"),
        (Some("100000002"), Some("en_US"), 0, "en_US"),
        (Some("100000001"), None, 1, "en_US"),
    ] {
        let request = TemplateRequest {
            from: from.map(str::to_owned),
            language: language.map(str::to_owned),
            ..a_request()
        };
        let send = planned(&request, &catalogue).unwrap();
        assert_eq!(send.message.template.language, chosen, "{from:?} {language:?}");
        assert_eq!(send.number.account, domain::testing::an_account_id(account), "{from:?} {language:?}");
    }
    let elsewhere = TemplateRequest {
        from: Some("100000002".to_owned()),
        language: Some("fr".to_owned()),
        ..a_request()
    };
    assert_eq!(planned(&elsewhere, &catalogue).err(), Some(not_found(&["ar", "en_US"])));
}

#[test]
fn without_a_sender_the_language_is_chosen_of_all_that_connected_numbers_can_send() {
    let numbers = || vec![a_number(1, 1), a_number(0, 2), a_number(2, 3)];
    let template = |account, language| of_account(a_template("order_ready"), account, language);
    // What each account has, and which of them sends what; of account 9 no number is connected.
    for (templates, account, chosen) in [
        (vec![(1, "en_US"), (0, "ar")], 0, "ar"),
        (vec![(2, "ar"), (0, "ar")], 0, "ar"),
        (vec![(1, "fr"), (0, "en_US"), (2, "de")], 2, "de"),
        (vec![(9, "ar"), (1, "fr"), (0, "en_US")], 0, "en_US"),
        (vec![(9, "ar"), (1, "fr")], 1, "fr"),
    ] {
        let told = format!("{templates:?}");
        let templates = templates.into_iter().map(|(account, language)| template(account, language));
        let send = planned(&a_request(), &catalogue_of(numbers(), templates.collect())).unwrap();
        assert_eq!(send.message.template.language, chosen, "{told}");
        assert_eq!(send.number.account, domain::testing::an_account_id(account), "{told}");
    }
}

#[test]
fn a_code_goes_by_a_template_that_holds_it_to_its_time_where_there_is_one() {
    let mut catalogue = a_code_template();
    let fine = of_account(catalogue.templates[0].clone(), 0, "en");
    catalogue.templates[0].validity_problem = Some("too late".to_owned());
    catalogue.templates.push(fine);
    let request = TemplateRequest { variables: None, code: Some("1".to_owned()), ..a_request() };
    assert_eq!(planned(&request, &catalogue).unwrap().message.template.language, "en");
    let in_arabic = TemplateRequest { language: Some("ar".to_owned()), ..request };
    let refusal = planned(&in_arabic, &catalogue).expect_err("a refusal");
    assert!(matches!(
        refusal,
        Refusal::TemplateNotApproved { status: TemplateStatus::Approved, reason: Some(_) }
    ));
}

#[test]
fn a_paused_subscription_is_the_last_word_and_stops_codes_too() {
    let pause = |mut catalogue: Catalogue| {
        catalogue.workspace.plan.paused = true;
        catalogue
    };
    let paused = Some(Refusal::PlanLimit(PlanLimitReason::SubscriptionPaused));
    assert_eq!(planned(&a_request(), &pause(a_catalogue())).err(), paused);
    let code = TemplateRequest { variables: None, code: Some("1".to_owned()), ..a_request() };
    assert_eq!(planned(&code, &pause(a_code_template())).err(), paused);
    let wrong = TemplateRequest { variables: None, ..a_request() };
    assert!(matches!(planned(&wrong, &pause(a_catalogue())), Err(Refusal::VariablesMismatch { .. })));
}
