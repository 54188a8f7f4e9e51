//! QR codes.

use std::fmt::Write;

use qrcode::{Color, QrCode};

/// Picture of a text that a camera reads.
#[derive(Debug)]
pub(super) struct Qr {
    /// Modules on each side.
    pub(super) side: usize,
    /// Dark modules, as an SVG path of one unit a module.
    pub(super) path: String,
}

impl Qr {
    /// Draws a text; `None` if it is too long for a code.
    pub(super) fn of(text: &str) -> Option<Self> {
        let code = QrCode::new(text).ok()?;
        let side = code.width();
        let modules = code.to_colors();
        let mut path = String::new();
        for (y, row) in modules.chunks(side).enumerate() {
            for (x, _) in row.iter().enumerate().filter(|(_, module)| **module == Color::Dark) {
                write!(path, "M{x} {y}h1v1h-1z").ok()?;
            }
        }
        Some(Self { side, path })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rqrr::PreparedImage;

    use super::Qr;

    /// Pixels of a module's side, and modules of the quiet zone around a code.
    const SCALE: usize = 4;
    const QUIET: usize = 4;

    #[test]
    fn what_is_drawn_is_read_by_another_library_as_it_was() {
        let long = "x".repeat(800);
        for text in ["otpauth://totp/Messaging%20Service:a%2Bb%40c.example?secret=MZXW6YTBOI", "a", &long] {
            let qr = Qr::of(text).unwrap();
            let dark: HashSet<_> = qr.path.split_terminator("h1v1h-1z").collect();
            let is_dark = |x: usize, y: usize| {
                let inside = |at: usize| (at / SCALE).checked_sub(QUIET);
                inside(x).zip(inside(y)).is_some_and(|(x, y)| dark.contains(&*format!("M{x} {y}")))
            };
            let side = (qr.side + 2 * QUIET) * SCALE;
            let mut image =
                PreparedImage::prepare_from_greyscale(side, side, |x, y| if is_dark(x, y) { 0 } else { 255 });
            let read: Vec<_> = image.detect_grids().iter().map(|grid| grid.decode().unwrap().1).collect();
            assert_eq!(read, [text]);
        }
    }

    #[test]
    fn what_no_code_holds_is_not_drawn() {
        assert!(Qr::of(&"x".repeat(5000)).is_none());
    }
}
