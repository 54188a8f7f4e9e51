use super::{FilesPlace, Source};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn source(environment: &[(&str, &str)], file: Option<&str>) -> Result<Source, super::ConfigError> {
    let find = |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, v)| (*v).to_owned());
    Source::of(find, "service.toml", file)
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
    let file = "listen = \"0.0.0.0:1\"\nadmin_listen = \"0.0.0.0:2\"\npool_size = 5";
    let source = source(&[("MESSAGING_LISTEN", "127.0.0.1:3")], Some(file)).unwrap();
    let serve = source.serve().unwrap();
    assert_eq!(serve.listen.port(), 3);
    assert_eq!(serve.admin_listen.port(), 2);
    assert_eq!(serve.roles.len(), 3);
}

#[test]
fn a_wrong_or_missing_setting_is_named_in_one_line_without_its_value() {
    let base = [("MESSAGING_DATABASE_URL", "postgres://x"), ("MESSAGING_MASTER_KEY", KEY)];
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], "MESSAGING_DATABASE_URL: is not set"),
        (&[base[0]], "MESSAGING_MASTER_KEY: is not set"),
        (&[base[0], ("MESSAGING_MASTER_KEY", "")], "MESSAGING_MASTER_KEY: is empty"),
        (&[base[0], ("MESSAGING_MASTER_KEY", "tooshort")], "MESSAGING_MASTER_KEY: a master key is 32 bytes"),
        (
            &[base[0], base[1], ("MESSAGING_HASH_KEY", "tooshort")],
            "MESSAGING_HASH_KEY: a hash key is 32 bytes",
        ),
        (&[base[0], base[1], ("MESSAGING_HASH_KEY", KEY)], "MESSAGING_HASH_KEY: this is a master key"),
        (&[base[0], base[1], ("MESSAGING_POOL_SIZE", "many")], "MESSAGING_POOL_SIZE: must be a whole number"),
        (&[base[0], base[1], ("MESSAGING_POOL_SIZE", "0")], "MESSAGING_POOL_SIZE: must be a whole number"),
    ];
    for (environment, wanted) in cases {
        let error = source(environment, None).unwrap().store().err().unwrap().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(!error.contains("tooshort") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn a_file_with_what_is_no_setting_is_refused() {
    let error = source(&[], Some("lissten = \"x\"")).err().unwrap().to_string();
    assert_eq!(error, "configuration: service.toml: lissten: there is no such setting; did you mean listen?");
}

#[test]
fn a_file_may_say_a_share_as_a_number() {
    let file = "otlp_url = \"http://127.0.0.1:4318\"\notlp_share = 0.25";
    let share = source(&[], Some(file)).unwrap().telemetry().unwrap().map(|telemetry| telemetry.share);
    assert_eq!(share, Some(0.25));
}

#[test]
fn digits_in_the_environment_stay_text() {
    let environment = [("MESSAGING_APP_SECRET", "0123"), ("MESSAGING_VERIFY_TOKEN", "1e5")];
    assert!(source(&environment, None).unwrap().network().is_ok());
}

#[test]
fn who_answers_no_requests_leaves_half_of_a_number_to_those_who_do() {
    for (roles, wanted) in [("api,dispatcher,worker", false), ("api", false), ("dispatcher,worker", true)] {
        let environment =
            [("MESSAGING_APP_SECRET", "a"), ("MESSAGING_VERIFY_TOKEN", "b"), ("MESSAGING_ROLES", roles)];
        let network = source(&environment, None).unwrap().network().unwrap();
        assert_eq!(network.shares_numbers, wanted, "{roles}");
    }
}

#[test]
fn unknown_roles_and_ranges_are_refused() {
    assert!(source(&[("MESSAGING_ROLES", "api,janitor")], None).unwrap().serve().is_err());
    assert!(source(&[("MESSAGING_ALLOW_NETWORKS", "10.0.0.0/40")], None).unwrap().policy().is_err());
    let policy =
        source(&[("MESSAGING_ALLOW_NETWORKS", "10.0.0.0/8, ::1/128")], None).unwrap().policy().unwrap();
    assert_eq!(policy.allowed.len(), 2);
}

#[test]
fn files_are_kept_in_a_folder_unless_there_is_a_bucket_with_its_keys() {
    let files = |environment: &[(&str, &str)]| source(environment, None).unwrap().files();
    assert!(matches!(files(&[]).unwrap().place, FilesPlace::Folder(folder) if folder.ends_with("files")));
    let bucket = ("MESSAGING_S3_BUCKET", "files");
    let id = ("MESSAGING_S3_ACCESS_KEY_ID", "an-id");
    let error = files(&[bucket, id]).unwrap_err().to_string();
    assert_eq!(error, "configuration: MESSAGING_S3_SECRET_ACCESS_KEY: is empty");
    let files = files(&[bucket, id, ("MESSAGING_S3_SECRET_ACCESS_KEY", "the-secret")]).unwrap();
    assert!(matches!(&files.place, FilesPlace::Bucket(_)));
    assert!(!format!("{files:?}").contains("the-secret"));
}

#[test]
fn what_is_said_of_something_that_is_not_there_is_refused() {
    for (setting, wanted) in [
        ("MESSAGING_TLS_KEY", "MESSAGING_TLS_CERTIFICATE: is empty, though tls_key is set"),
        ("MESSAGING_S3_ENDPOINT", "MESSAGING_S3_BUCKET: is empty, though s3_endpoint is set"),
        ("MESSAGING_S3_ACCESS_KEY_ID", "MESSAGING_S3_BUCKET: is empty, though s3_access_key_id is set"),
        (
            "MESSAGING_S3_SECRET_ACCESS_KEY",
            "MESSAGING_S3_BUCKET: is empty, though s3_secret_access_key is set",
        ),
    ] {
        let source = source(&[(setting, "https://hunter2.example")], None).unwrap();
        let error = source.dashboard().err().or_else(|| source.files().err()).unwrap().to_string();
        assert_eq!(error, format!("configuration: {wanted}"));
    }
    let certificate = source(&[("MESSAGING_TLS_CERTIFICATE", "certificate.pem")], None).unwrap();
    let error = certificate.dashboard().unwrap_err().to_string();
    assert_eq!(error, "configuration: MESSAGING_TLS_KEY: is empty");
}

#[test]
fn a_word_alone_in_the_log_s_filter_is_a_level() {
    let log = |filter: &str| source(&[("MESSAGING_LOG", filter)], None).unwrap().log();
    for filter in
        ["debug", "INFO", "off", "warn,actix_http=off", "info,adapter_webhooks=debug", "adapter_http=info"]
    {
        assert_eq!(log(filter).unwrap().filter, filter);
    }
    for filter in ["debg", "info,debg", "off, info", "adapter_webhooks", "info,foo=bar", "info,=x="] {
        let error = log(filter).unwrap_err().to_string();
        assert!(
            error.starts_with("configuration: MESSAGING_LOG: must be trace, debug, info, warn, error"),
            "{error}"
        );
    }
}

#[test]
fn secrets_go_to_no_address_of_the_network_that_others_can_listen_to() {
    let network = |url: &str| {
        let said =
            [("MESSAGING_APP_SECRET", "a"), ("MESSAGING_VERIFY_TOKEN", "b"), ("MESSAGING_GRAPH_URL", url)];
        source(&said, None).unwrap().network()
    };
    for url in ["https://graph.facebook.com", "http://127.0.0.1:1", "http://[::1]:1/", "http://localhost:1"] {
        assert!(network(url).is_ok(), "{url}");
    }
    for url in ["http://graph.facebook.com", "ftp://graph.facebook.com"] {
        let error = network(url).unwrap_err().to_string();
        assert!(error.starts_with("configuration: MESSAGING_GRAPH_URL: must be an https address"), "{error}");
    }
}

#[test]
fn voice_notes_are_rendered_only_where_a_service_is_named() {
    let files = |environment: &[(&str, &str)]| source(environment, None).unwrap().files();
    assert!(files(&[("MESSAGING_TRANSCRIPTION_KEY", "a key")]).unwrap().transcription.is_none());
    let named = files(&[("MESSAGING_TRANSCRIPTION_URL", "http://127.0.0.1:9000/v1")]).unwrap();
    assert_eq!(named.transcription.unwrap().model, "whisper-1");
    for setting in ["MESSAGING_TRANSCRIPTION_URL"] {
        for address in ["chat.example", "ftp://chat.example", "https://chat.example/?a=b"] {
            let error = files(&[(setting, address)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("configuration: {setting}: must be")), "{error}");
        }
    }
}

#[test]
fn the_assistant_has_a_model_only_where_a_server_and_its_model_are_named() {
    let model = |environment: &[(&str, &str)]| source(environment, None).unwrap().model();
    assert!(model(&[("MESSAGING_MODEL_NAME", "m")]).unwrap().is_none());
    let url = ("MESSAGING_MODEL_URL", "http://127.0.0.1:9000/v1");
    assert_eq!(model(&[url]).unwrap_err().to_string(), "configuration: MESSAGING_MODEL_NAME: is empty");
    let named = model(&[url, ("MESSAGING_MODEL_NAME", "m"), ("MESSAGING_MODEL_KEY", "the-key")]).unwrap();
    assert!(!format!("{named:?}").contains("the-key"));
}

#[test]
fn a_model_s_key_without_an_address_is_for_the_vendor_whose_form_it_is() {
    let model = |dialect: &str| {
        let settings = [
            ("MESSAGING_MODEL_DIALECT", dialect),
            ("MESSAGING_MODEL_KEY", "k"),
            ("MESSAGING_MODEL_NAME", "m"),
        ];
        source(&settings, None).unwrap().model()
    };
    for (dialect, host) in [
        ("openai", "api.openai.com"),
        ("anthropic", "api.anthropic.com"),
        ("gemini", "generativelanguage.googleapis.com"),
    ] {
        assert_eq!(model(dialect).unwrap().unwrap().first.base_url.host_str(), Some(host));
    }
    let error = model("another").unwrap_err().to_string();
    assert_eq!(error, "configuration: MESSAGING_MODEL_DIALECT: must be openai, anthropic or gemini");
}

#[test]
fn a_second_model_is_one_beside_a_first() {
    let model = |environment: &[(&str, &str)]| source(environment, None).unwrap().model();
    let first = [("MESSAGING_MODEL_URL", "http://127.0.0.1:9000/v1"), ("MESSAGING_MODEL_NAME", "m")];
    let second = [("MESSAGING_FALLBACK_MODEL_KEY", "k"), ("MESSAGING_FALLBACK_MODEL_NAME", "n")];
    assert!(model(&first).unwrap().unwrap().fallback.is_none());
    let both = model(&[first, second].concat()).unwrap().unwrap();
    assert_eq!((both.first.model.as_str(), both.fallback.unwrap().model.as_str()), ("m", "n"));
    let error = model(&second).unwrap_err().to_string();
    assert!(error.starts_with("configuration: MESSAGING_MODEL_URL: is empty"), "{error}");
}

#[test]
fn a_file_of_authorities_that_is_of_no_use_is_named_by_its_setting() {
    let trust = |file: &str| source(&[("MESSAGING_CA_FILE", file)], None).unwrap().trust();
    assert!(trust("").is_ok());
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    for (file, problem) in [
        ("/no/such/file.pem", "the file cannot be read: entity not found"),
        (empty.to_str().unwrap(), "the file holds no certificate in PEM form"),
    ] {
        let error = trust(file).unwrap_err().to_string();
        assert_eq!(error, format!("configuration: MESSAGING_CA_FILE: {problem}"));
    }
}

#[test]
fn a_stop_is_delayed_by_seconds_within_reason() {
    let delay = |said: &str| source(&[("MESSAGING_STOP_DELAY", said)], None).unwrap().serve();
    assert_eq!(source(&[], None).unwrap().serve().unwrap().stop_delay.as_secs(), 5);
    assert_eq!(delay("0").unwrap().stop_delay.as_secs(), 0);
    for said in ["-1", "601", "soon", "1.5"] {
        let error = delay(said).unwrap_err().to_string();
        assert!(error.starts_with("configuration: MESSAGING_STOP_DELAY: must be"), "{error}");
    }
}

#[test]
fn the_page_of_settings_is_what_the_code_makes() {
    let committed = include_str!("../../../../docs/run/settings.md");
    assert!(
        committed.trim_end() == super::page().trim_end(),
        "docs/run/settings.md is stale: `cargo run -- settings --markdown > docs/run/settings.md`"
    );
}

#[test]
fn a_variable_that_is_named_like_a_setting_and_is_none_is_refused_with_the_nearest() {
    for (variable, wanted) in [
        ("MESSAGING_DATABASE_URI", Some("there is no such setting; did you mean MESSAGING_DATABASE_URL?")),
        ("MESSAGING_MASTERKEY", Some("there is no such setting; did you mean MESSAGING_MASTER_KEY?")),
        ("MESSAGING_SEVENTEEN_CAMELS", Some("there is no such setting")),
        ("MESSAGING_", Some("there is no such setting")),
        ("MESSAGING_LISTEN", None),
        ("MESSAGING_TEST_DATABASE_URL", None),
        ("OTHER_DATABASE_URI", None),
    ] {
        let refused = super::source::known(variable).err().map(|error| error.problem);
        assert_eq!(refused.as_deref(), wanted, "{variable}");
    }
    let error = source(&[], Some("listne = \"127.0.0.1:1\"")).err().unwrap();
    assert_eq!(error.problem, "there is no such setting; did you mean listen?");
}
