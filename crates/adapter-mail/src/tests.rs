//! Tests against a mail server on loopback that does as it is told.

use std::{collections::VecDeque, time::Duration};

use bounded_http::testing::{Flood, Flooder};
use domain::{
    access::members::Language,
    testing::{ManualClock, SequentialIds, a_moment},
};
use tls_trust::testing::a_server;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpListener,
    sync::mpsc,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::text::tests::{a_mail, a_reset};

#[tokio::test]
async fn a_server_whose_reply_has_no_end_is_given_up_and_holds_nobody_up() {
    let flooder = Flooder::start(Flood::Greeting).unwrap();
    let address = format!("smtp://{}", flooder.address).into();
    let began = std::time::Instant::now();
    let (mut last, mut longest) = (began, Duration::ZERO);
    let mut tried = std::pin::pin!(try_out(&address, "Palm Store <no-reply@shop.example>", Trust::default()));
    let tried = loop {
        tokio::select! {
            tried = &mut tried => break tried,
            () = tokio::time::sleep(Duration::from_millis(10)) => {}
        }
        longest = longest.max(last.elapsed());
        last = std::time::Instant::now();
    };
    assert!(matches!(tried, Err(TryOutError::Server(_))), "{tried:?}");
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

/// Behaviours of the server towards a connection.
enum Manner {
    /// Accepts the mail.
    Takes,
    /// Answers this to the recipient.
    Says(&'static str),
    /// A server that sends nothing at all.
    IsSilent,
}

/// A mailer with its outbox at work, and what the server was told, connection by connection.
struct Stage {
    mailer: SmtpMailer,
    clock: Arc<ManualClock>,
    stop: CancellationToken,
    outbox: JoinHandle<()>,
    told: mpsc::UnboundedReceiver<String>,
}

impl Stage {
    async fn new(manners: impl IntoIterator<Item = Manner>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let (tells, told) = mpsc::unbounded_channel();
        let mut manners: VecDeque<Manner> = manners.into_iter().collect();
        tokio::spawn(async move {
            let mut silent = Vec::new();
            while let Some(manner) = manners.pop_front() {
                let (stream, _) = listener.accept().await.unwrap();
                match manner {
                    Manner::Takes => tells.send(conversation(stream, "250 ok").await).unwrap(),
                    Manner::Says(refusal) => tells.send(conversation(stream, refusal).await).unwrap(),
                    Manner::IsSilent => {
                        tells.send("silence".to_owned()).unwrap();
                        silent.push(stream);
                    }
                }
            }
            std::future::pending::<()>().await;
        });
        Self::at(&url, told)
    }

    fn at(url: &str, told: mpsc::UnboundedReceiver<String>) -> Self {
        let clock = Arc::new(ManualClock::at(a_moment()));
        let (mailer, outbox) = SmtpMailer::new(
            &url.to_owned().into(),
            "Messages <no-reply@palm.example>",
            Trust::default(),
            clock.clone(),
            Arc::new(SequentialIds::default()),
        )
        .unwrap();
        let stop = CancellationToken::new();
        let outbox = tokio::spawn(outbox.run(stop.clone()));
        Self { mailer, clock, stop, outbox, told }
    }

    async fn told(&mut self) -> String {
        self.told.recv().await.unwrap()
    }

    /// Waits until the outbox waits, and lets so much time go by.
    async fn later(&self, by: Duration) {
        while self.clock.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        self.clock.advance(by);
    }
}

/// What the client said, until it left; `to_recipient` is the answer to the recipient.
async fn conversation(stream: impl AsyncRead + AsyncWrite, to_recipient: &str) -> String {
    let (reader, mut writer) = tokio::io::split(stream);
    writer.write_all(b"220 mail.example\r\n").await.unwrap();
    let mut lines = BufReader::new(reader).lines();
    let (mut said, mut in_mail) = (Vec::new(), false);
    while let Ok(Some(line)) = lines.next_line().await {
        let answer = match line.as_str() {
            "." => Some("250 taken"),
            _ if in_mail => None,
            "DATA" => Some("354 go on"),
            _ if line.starts_with("RCPT") => Some(to_recipient),
            _ => Some("250 ok"),
        };
        in_mail = (in_mail || line == "DATA") && line != ".";
        said.push(line);
        if let Some(answer) = answer {
            let _ = writer.write_all(format!("{answer}\r\n").as_bytes()).await;
        }
    }
    said.join("\n")
}

#[tokio::test]
async fn an_invitation_reaches_its_address_with_its_link() {
    let mut stage = Stage::new([Manner::Takes]).await;
    stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    let told = stage.told().await;
    assert!(told.contains("RCPT TO:<omar@palm.example>"), "{told}");
    assert!(told.contains("https://messages.example/dashboard/invitation#00ff"), "{told}");
}

#[tokio::test]
async fn a_link_for_another_password_reaches_its_address() {
    let mut stage = Stage::new([Manner::Takes]).await;
    stage.mailer.reset(&a_reset(Language::English)).await.unwrap();
    let told = stage.told().await;
    assert!(told.contains("RCPT TO:<omar@palm.example>"), "{told}");
    assert!(told.contains("https://messages.example/dashboard/password-reset#00ff"), "{told}");
}

#[tokio::test]
async fn who_was_let_in_with_two_dots_in_a_row_is_reached_in_quotation_marks() {
    let mut stage = Stage::new([Manner::Takes]).await;
    let to = EmailAddress::kept("o..mar@palm.example".to_owned());
    stage.mailer.reset(&ResetMail { to, ..a_reset(Language::English) }).await.unwrap();
    let told = stage.told().await;
    assert!(told.contains("RCPT TO:<\"o..mar\"@palm.example>"), "{told}");
}

#[tokio::test]
async fn a_mail_says_what_it_is_and_comes_as_text_and_as_a_page() {
    let mut stage = Stage::new([Manner::Takes]).await;
    stage.mailer.invite(&a_mail(Language::Arabic)).await.unwrap();
    let told = stage.told().await;
    for line in [
        "Message-ID: <01920000-0000-7000-8000-000000000001@palm.example>",
        "MIME-Version: 1.0",
        "Content-Type: multipart/alternative;",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
        "From: Messages <no-reply@palm.example>",
    ] {
        assert!(told.lines().any(|said| said.starts_with(line)), "{line}: {told}");
    }
}

#[tokio::test]
async fn a_mail_that_is_put_off_is_tried_again_under_the_same_id() {
    let mut stage = Stage::new([Manner::Says("451 later"), Manner::Takes]).await;
    stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    assert!(!stage.told().await.contains("DATA"));
    stage.later(Duration::from_secs(5)).await;
    assert!(stage.told().await.contains("Message-ID: <01920000-0000-7000-8000-000000000001@palm.example>"));
}

#[tokio::test]
async fn a_mail_that_is_refused_is_given_up() {
    let mut stage = Stage::new([Manner::Says("550 no omar@palm.example here"), Manner::Takes]).await;
    stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    assert!(!stage.told().await.contains("DATA"));
    // Nothing is left that a stop would try.
    stage.stop.cancel();
    stage.outbox.await.unwrap();
    assert!(stage.told.try_recv().is_err());
}

#[tokio::test]
async fn a_silent_server_holds_up_neither_who_invites_nor_the_end() {
    let mut stage = Stage::new([Manner::IsSilent]).await;
    stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    assert_eq!(stage.told().await, "silence");
    stage.stop.cancel();
    tokio::time::timeout(Duration::from_secs(10), stage.outbox).await.expect("the end is bounded").unwrap();
}

#[tokio::test]
async fn what_waits_at_the_end_is_tried_once_more() {
    let mut stage = Stage::new([Manner::Says("451 later"), Manner::Takes]).await;
    stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    stage.told().await;
    // Until it has failed and waits.
    stage.later(Duration::ZERO).await;
    stage.stop.cancel();
    assert!(stage.told().await.contains("DATA"));
    stage.outbox.await.unwrap();
}

#[tokio::test]
async fn what_is_too_much_is_said_at_once() {
    let (_, told) = mpsc::unbounded_channel();
    let stage = Stage::at("smtp://127.0.0.1:1", told);
    // The outbox is a task of this conversation, and has not run yet.
    for _ in 0..MOST {
        stage.mailer.invite(&a_mail(Language::English)).await.unwrap();
    }
    let failed = stage.mailer.invite(&a_mail(Language::English)).await.unwrap_err();
    assert_eq!(failed.0, "too many mails wait for the mail server");
}

#[tokio::test]
async fn a_failure_is_told_without_the_server_s_words() {
    for (manner, why, for_good) in [
        (Manner::Says("550 no omar@palm.example here"), "the mail server refused it (550)", true),
        (Manner::Says("451 wait, omar@palm.example"), "the mail server cannot take it now (451)", false),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let server = MailServer::at(&url.into(), Trust::default()).unwrap();
        let Manner::Says(refusal) = manner else { panic!("it says something") };
        let met = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            conversation(stream, refusal).await
        });
        assert_eq!(taken(&server).await, Err(server::NotTaken { why: why.to_owned(), for_good }));
        drop(met);
    }
    let away = MailServer::at(&"smtp://127.0.0.1:1".to_owned().into(), Trust::default()).unwrap();
    let why = "the mail server cannot be reached".to_owned();
    assert_eq!(taken(&away).await, Err(server::NotTaken { why, for_good: false }));
}

async fn taken(server: &MailServer) -> Result<(), server::NotTaken> {
    let message = Message::builder()
        .from("a@palm.example".parse().unwrap())
        .to("omar@palm.example".parse().unwrap())
        .body("words".to_owned());
    server.take(&message.unwrap()).await
}

#[test]
fn what_cannot_be_an_address_is_refused_before_anything_is_sent() {
    let new = |server: &str, sender: &str| {
        let (clock, ids) = (Arc::new(ManualClock::at(a_moment())), Arc::new(SequentialIds::default()));
        SmtpMailer::new(&server.to_owned().into(), sender, Trust::default(), clock, ids).err()
    };
    for address in ["mail.example", "smtp://mail.example?tls=perhaps", "https://mail.example", "smtps:///"] {
        assert_eq!(new(address, "a@b.example"), Some(MailSetupError::Server), "{address}");
    }
    assert_eq!(new("smtp://mail.example", "nobody"), Some(MailSetupError::Sender));
}

#[tokio::test]
async fn a_mail_server_whose_certificate_is_not_trusted_is_named_as_such() {
    let (config, certificate) = a_server("localhost");
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtps://localhost:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(stream) = acceptor.accept(stream).await {
                conversation(stream, "250 ok").await;
            }
        }
    });
    let at = |trust: Trust| MailServer::at(&url.clone().into(), trust).unwrap();
    let why = "the certificate of the mail server is not trusted: it is signed by no authority that is trusted here";
    let untrusted = server::NotTaken { why: why.to_owned(), for_good: false };
    assert_eq!(taken(&at(Trust::default())).await, Err(untrusted));
    assert_eq!(taken(&at(Trust::with(vec![certificate]))).await, Ok(()));
}

#[tokio::test]
async fn a_server_is_tried_with_its_password_and_without_a_mail() {
    let ehlo = "250-mail.example\r\n250 AUTH PLAIN";
    for (ehlo, auth, login, wanted) in [
        (ehlo, "235 ok", "user:secret@", Ok(())),
        ("250 mail.example", "", "", Ok(())),
        (
            ehlo,
            "535 no, user",
            "user:secret@",
            Err("the mail server refuses the user and the password (535)"),
        ),
        (
            "250 mail.example",
            "",
            "user:secret@",
            Err("the mail server cannot be used: No compatible authentication mechanism was found"),
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{login}{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, mut writer) = tokio::io::split(stream);
            writer.write_all(b"220 mail.example\r\n").await.unwrap();
            let mut lines = BufReader::new(reader).lines();
            let mut said = Vec::new();
            while let Ok(Some(line)) = lines.next_line().await {
                let answer = match line.split(' ').next() {
                    Some("EHLO") => ehlo,
                    Some("AUTH") => auth,
                    _ => "250 ok",
                };
                said.push(line);
                let _ = writer.write_all(format!("{answer}\r\n").as_bytes()).await;
            }
            said
        });
        let tried = try_out(&url.clone().into(), "a@palm.example", Trust::default()).await;
        assert_eq!(tried, wanted.map_err(|words: &str| TryOutError::Server(words.to_owned())), "{url}");
        let said = server.await.unwrap();
        assert!(said.iter().all(|line| !line.starts_with("MAIL")), "{said:?}");
    }
    let nobody = try_out(&"smtp://127.0.0.1:1".to_owned().into(), "nobody", Trust::default()).await;
    let nobody = nobody.unwrap_err();
    assert_eq!(nobody, TryOutError::Sender);
    assert!(nobody.to_string().starts_with("the sender must be an e-mail address"));
    let away = try_out(&"smtp://127.0.0.1:1".to_owned().into(), "a@palm.example", Trust::default()).await;
    assert!(away.unwrap_err().to_string().starts_with("the mail server cannot be reached: "));
}
