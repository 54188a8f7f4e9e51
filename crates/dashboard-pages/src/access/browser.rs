//! Names of browsers, for people who look for a session that is not theirs.

/// Browsers by what they write into `User-Agent`, each before those whose words it writes as well.
const BROWSERS: [(&str, &str); 12] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("YaBrowser/", "Yandex"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
];

/// Systems in the same way.
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Names the browser and its system; `None` where either is unknown, as of programs.
pub(super) fn name(user_agent: &str) -> Option<(&'static str, &'static str)> {
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    Some((find(&BROWSERS)?, find(&SYSTEMS)?))
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_browser_is_named_with_its_system() {
        const MOZILLA: &str = "Mozilla/5.0";
        const KIT: &str = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (words, named) in [
            ("(X11; Linux x86_64) {} Chrome/148.0.0.0 Safari/537.36", Some(("Chrome", "Linux"))),
            (
                "(Windows NT 10.0; Win64; x64) {} Chrome/148.0.0.0 Safari/537.36 Edg/148.0",
                Some(("Edge", "Windows")),
            ),
            (
                "(Linux; Android 10; K) {} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36",
                Some(("Samsung Internet", "Android")),
            ),
            (
                "(iPhone; CPU iPhone OS 18_5 like Mac OS X) {} Version/18.5 Mobile/15E148 Safari/604.1",
                Some(("Safari", "iPhone")),
            ),
            (
                "(iPhone; CPU iPhone OS 18_5 like Mac OS X) {} CriOS/148.0 Mobile/15E148 Safari/604.1",
                Some(("Chrome", "iPhone")),
            ),
            (
                "(Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0",
                Some(("Firefox", "macOS")),
            ),
            ("(compatible; something)", None),
        ] {
            let whole = format!("{MOZILLA} {}", words.replace("{}", KIT));
            assert_eq!(name(&whole), named, "{whole}");
        }
        assert_eq!(name("curl/8.14.1"), None);
        assert_eq!(name(""), None);
    }
}
