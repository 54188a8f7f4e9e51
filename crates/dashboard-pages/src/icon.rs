//! Icons of the set Lucide, drawn in the colour of the text around them. Whoever cannot see one is told by
//! the name beside it.

use std::fmt;

/// An icon, written as an element of SVG.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Icon(&'static str);

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">{}</svg>", self.0)
    }
}

impl askama::filters::HtmlSafe for Icon {}

macro_rules! icons {
    ($($name:ident: $of:ident;)*) => {
        $(pub(crate) static $name: Icon = Icon(icondata_lu::$of.data);)*
    };
}

/// What an icon draws, without its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawing(&'static str);

impl Icon {
    /// Returns what it draws, for a frame of another kind.
    pub(crate) const fn drawing(self) -> Drawing {
        Drawing(self.0)
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl askama::filters::HtmlSafe for Drawing {}

icons! {
    ASSIGN: LuUserPlus;
    ATTACH: LuPaperclip;
    BROADCASTS: LuMegaphone;
    CAMERA: LuCamera;
    CANNED: LuZap;
    CLOSE: LuCheck;
    CONTACTS: LuUsers;
    DETAILS: LuPanelRight;
    EMOJI: LuSmile;
    FILTER: LuSlidersHorizontal;
    INBOX: LuInbox;
    INSTAGRAM: LuInstagram;
    MENTION: LuAtSign;
    MESSENGER: LuMessageCircle;
    MICROPHONE: LuMic;
    MORE: LuEllipsis;
    NEWEST: LuArrowDown;
    ONESELF: LuCircleUser;
    OPEN: LuChevronDown;
    SEARCH: LuSearch;
    SEND: LuSend;
    SETTINGS: LuSettings;
    SEVERAL: LuListChecks;
    TEMPLATE: LuLayoutTemplate;
    WHATSAPP: LuPhone;
}
