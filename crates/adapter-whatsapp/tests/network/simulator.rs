//! The whole way with the simulator, which checks each send against its template as the network does.

use std::time::Duration;

use adapter_whatsapp::webhook;
use domain::{
    channels::{Account, ListedNumber, Number, ports::NetworkAccounts},
    inbound::NetworkUpdate,
    phone::PhoneNumber,
    sending::{
        HeaderRequest, Location, PlannedSend, TemplateRequest, Variables, plan,
        ports::{MessagingNetwork, SendFailure},
    },
    templates::{HeaderNeed, Template, TemplateStatus, ports::NetworkTemplates, wanted_validity},
    testing::{a_number, catalogue_of},
};
use graph_client::webhook::Gate;
use network_simulator::{Config, Simulator, demo_accounts};
use secrecy::SecretString;
use uuid::Uuid;

use super::{network_at, scripted::Scripted, token};

fn config() -> Config {
    let mut config = Config::new("app secret", "agreed");
    config.accounts = demo_accounts(&token()).unwrap();
    config.status_delay = Duration::ZERO;
    config
}

fn account(network_id: &str) -> Account {
    Account {
        id: a_number(0, 0).account,
        workspace: Uuid::from_u128(2).into(),
        network_id: network_id.to_owned(),
        token: token(),
    }
}

/// A send of the template with a value in each of its places.
fn filled(template: &Template, from: &ListedNumber) -> PlannedSend {
    let content = &template.content;
    let link = |filename: Option<&str>| HeaderRequest {
        link: Some("https://files.example/a".to_owned()),
        filename: filename.map(str::to_owned),
        ..HeaderRequest::default()
    };
    let code = template.is_authentication().then(|| "483920".to_owned());
    let request = TemplateRequest {
        template: template.name.clone(),
        language: Some(template.language.clone()),
        variables: code
            .is_none()
            .then(|| Variables::Ordered(vec!["value".to_owned(); content.variables().len()])),
        code,
        header: content.header_need().map(|need| match need {
            HeaderNeed::Text => HeaderRequest { text: Some("value".to_owned()), ..HeaderRequest::default() },
            HeaderNeed::Media => link(None),
            HeaderNeed::Document => link(Some("a.pdf")),
            HeaderNeed::Location => HeaderRequest {
                location: Some(Location { latitude: 33.3152, longitude: 44.3661, ..Location::default() }),
                ..HeaderRequest::default()
            },
        }),
        button_variables: Some(vec!["value".to_owned(); content.variable_buttons().len()]),
        ..TemplateRequest::default()
    };
    let number = Number {
        network_id: from.network_id.clone(),
        phone: from.phone.clone(),
        account: template.account,
        ..a_number(0, 0)
    };
    let catalogue = catalogue_of(vec![number], vec![template.clone()]);
    let to = PhoneNumber::from_e164("+9647701234567").unwrap();
    plan(&request, to, &catalogue, Uuid::from_u128(7).into()).unwrap()
}

#[tokio::test]
async fn every_approved_template_passes_from_the_list_to_the_network() {
    let simulator = Simulator::start(config()).await.unwrap();
    let network = network_at(simulator.url());
    let mut accepted = 0;
    let mut refused = Vec::new();
    for listed in config().accounts {
        let account = account(&listed.id);
        let numbers = network.numbers(&account.network_id, &account.token).await.unwrap();
        assert_eq!(numbers.len(), listed.numbers.len());
        assert!(numbers.iter().all(|number| number.can_send));
        let templates = network.templates(&account).await.unwrap();
        assert_eq!(templates.len(), listed.templates.len());
        for template in templates.iter().filter(|template| template.status == TemplateStatus::Approved) {
            let planned = filled(template, &numbers[0]);
            match network.send_template(&numbers[0].network_id, &account.token, &planned.message).await {
                Ok(sent) => {
                    assert!(sent.network_id.reveal().starts_with("wamid."));
                    accepted += 1;
                }
                Err(SendFailure::Refused { .. }) => refused.push(template.name.clone()),
                Err(other) => panic!("{}: {other}", template.name),
            }
        }
    }
    assert_eq!(simulator.messages().len(), accepted);
    // A send cannot fill this part: a coupon code.
    assert_eq!(refused, ["coupon"]);
    simulator.stop().await;
}

#[tokio::test]
async fn a_one_time_code_is_held_to_its_validity_at_the_network() {
    let simulator = Simulator::start(config()).await.unwrap();
    let network = network_at(simulator.url());
    let account = account(&config().accounts[0].id);
    let templates = network.templates(&account).await.unwrap();
    let outliving: Vec<_> =
        templates.iter().filter_map(|one| Some((one.network_id.clone(), wanted_validity(one)?))).collect();
    assert!(!outliving.is_empty());
    for (template, seconds) in &outliving {
        network.set_validity(&account.token, template, *seconds).await.unwrap();
    }
    let templates = network.templates(&account).await.unwrap();
    for (template, seconds) in outliving {
        let corrected = templates.iter().find(|one| one.network_id == template).unwrap();
        assert_eq!(corrected.send_ttl_seconds, Some(seconds));
    }
    simulator.stop().await;
}

#[tokio::test]
async fn what_the_network_posts_after_a_send_is_signed_and_read() {
    let receiver = Scripted::start(Vec::new()).await;
    let simulator = Simulator::start(config()).await.unwrap();
    let network = network_at(simulator.url());
    let gate = Gate::new(SecretString::from("app secret"), SecretString::from("agreed"));
    let account = account(&config().accounts[0].id);
    network.subscribe(&account.network_id, &account.token).await.unwrap();
    simulator.set_webhook_url(Some(receiver.url.clone())).unwrap();

    let numbers = network.numbers(&account.network_id, &account.token).await.unwrap();
    let templates = network.templates(&account).await.unwrap();
    let template = templates.iter().find(|one| one.status == TemplateStatus::Approved).unwrap();
    let planned = filled(template, &numbers[0]);
    let sent = network.send_template(&numbers[0].network_id, &account.token, &planned.message).await.unwrap();
    simulator.settled().await;

    let mut seen = Vec::new();
    for post in receiver.asked().iter().filter(|asked| asked.line.starts_with("POST")) {
        assert!(gate.is_signed(&post.body, post.header(Gate::SIGNATURE).unwrap()));
        for update in webhook::read(&post.body).unwrap() {
            let NetworkUpdate::Status { number_network_id, status } = update else { panic!("{update:?}") };
            assert_eq!(number_network_id, numbers[0].network_id);
            assert_eq!(status.network_id, sent.network_id);
            assert_eq!(status.tag, Some(planned.message.tag.to_string()));
            seen.push(status.status.as_str());
        }
    }
    // Statuses may overtake each other on their way.
    seen.sort_unstable();
    assert_eq!(seen, ["delivered", "read", "sent"]);
    simulator.stop().await;
}
