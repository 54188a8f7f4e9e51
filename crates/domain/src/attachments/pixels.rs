//! Sizes of pictures once decoded: a few bytes may claim to be billions of pixels.

/// Most pixels of a picture that is shown in place. A browser takes four bytes for each.
const MOST_PIXELS: u64 = 100_000_000;

/// Number of first bytes searched for a picture's size: a photo has its camera's notes and a thumbnail in
/// front.
pub(super) const PICTURE_HEAD: usize = 256 * 1024;

/// Returns whether a browser can bear to decode the picture. One whose size is not found counts as too large,
/// unless `head` is the whole file.
pub(super) fn is_bearable(media_type: &str, head: &[u8]) -> bool {
    let size = match media_type {
        "image/jpeg" => size_of_jpeg(head),
        "image/gif" => size_of_gif(head),
        "image/png" => size_of_png(head),
        _ => imagesize::blob_size(head).ok().map(|size| (wide(size.width), wide(size.height))),
    };
    match size {
        Some((width, height)) => width.saturating_mul(height) <= MOST_PIXELS,
        None => head.len() < PICTURE_HEAD,
    }
}

fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Finds the size of a frame as decoders do: fill bytes, and markers without a length, are skipped.
fn size_of_jpeg(head: &[u8]) -> Option<(u64, u64)> {
    let mut rest = head.get(2..)?;
    loop {
        let (marker, behind) = match rest {
            [0xff, 0xff, ..] => {
                rest = rest.get(1..)?;
                continue;
            }
            [0xff, marker, behind @ ..] => (*marker, behind),
            // Bytes between two segments are skipped.
            [_, behind @ ..] => {
                rest = behind;
                continue;
            }
            [] => return None,
        };
        rest = match (marker, behind) {
            (0x00 | 0x01 | 0xd0..=0xd9, behind) => behind,
            (0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf, [_, _, _, a, b, c, d, ..]) => {
                return Some((big(*c, *d), big(*a, *b)));
            }
            (_, [a, b, ..]) => behind.get(usize::from(u16::from_be_bytes([*a, *b])).max(2)..)?,
            (_, _) => return None,
        };
    }
}

/// Finds the size of a picture; some cameras write a chunk of their own in front of it.
fn size_of_png(head: &[u8]) -> Option<(u64, u64)> {
    let mut rest = head.get(8..)?;
    loop {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (kind, data) = behind.split_first_chunk::<4>()?;
        if kind == b"IHDR" {
            let (width, data) = data.split_first_chunk::<4>()?;
            let height = data.first_chunk::<4>()?;
            return Some((u32::from_be_bytes(*width).into(), u32::from_be_bytes(*height).into()));
        }
        // A checksum of four bytes follows the data of a chunk.
        let length = u64::from(u32::from_be_bytes(*length)).saturating_add(4);
        rest = data.get(usize::try_from(length).ok()?..)?;
    }
}

/// Finds the size of an animation, or of its first frame if that is larger: browsers make room for either.
fn size_of_gif(head: &[u8]) -> Option<(u64, u64)> {
    let [_, _, _, _, _, _, a, b, c, d, flags, _, _, rest @ ..] = head else { return None };
    let screen = (little(*a, *b), little(*c, *d));
    let mut rest = if flags & 0x80 == 0 { rest } else { rest.get(6_usize << (flags & 7)..)? };
    loop {
        rest = match rest {
            [0x2c, left, left_high, top, top_high, a, b, c, d, ..] => {
                let width = little(*left, *left_high).saturating_add(little(*a, *b));
                let height = little(*top, *top_high).saturating_add(little(*c, *d));
                return Some((screen.0.max(width), screen.1.max(height)));
            }
            // An extension: blocks, each behind its length, up to an empty one.
            [0x21, _, blocks @ ..] => {
                let mut blocks = blocks;
                while let [length, behind @ ..] = blocks
                    && *length > 0
                {
                    blocks = behind.get(usize::from(*length)..)?;
                }
                blocks.get(1..)?
            }
            _ => return None,
        };
    }
}

fn big(high: u8, low: u8) -> u64 {
    u16::from_be_bytes([high, low]).into()
}

fn little(low: u8, high: u8) -> u64 {
    u16::from_le_bytes([low, high]).into()
}

#[cfg(test)]
mod tests {
    use super::{PICTURE_HEAD, is_bearable, size_of_gif, size_of_jpeg, size_of_png};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &size, b"\x08\x02\0\0\0"].concat()
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        [&b"\xff\xc0\0\x11\x08"[..], &height.to_be_bytes(), &width.to_be_bytes(), b"\x03"].concat()
    }

    fn jpeg(parts: &[&[u8]]) -> Vec<u8> {
        [&b"\xff\xd8"[..], &parts.concat()].concat()
    }

    fn gif(screen: [u16; 2], between: &[u8], first: [u16; 4]) -> Vec<u8> {
        let numbers = |numbers: &[u16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let (screen, first): (Vec<u8>, Vec<u8>) = (numbers(&screen), numbers(&first));
        [b"GIF89a", &screen[..], b"\0\0\0", between, b"\x2c", &first, b"\0"].concat()
    }

    /// Returns an extended file, and a lossless one.
    fn webps(width: u32, height: u32) -> [Vec<u8>; 2] {
        let (across, down) = ((width - 1).to_le_bytes(), (height - 1).to_le_bytes());
        let extended =
            [&b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"[..], &across[..3], &down[..3], &[0; 16]].concat();
        let packed = ((width - 1) | ((height - 1) << 14)).to_le_bytes();
        [extended, [&b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f"[..], &packed, &[0; 16]].concat()]
    }

    #[test]
    fn what_is_small_on_the_wire_and_huge_in_memory_is_not_borne() {
        for (media_type, picture, wanted) in [
            ("image/png", png(10_000, 10_000), true),
            ("image/png", png(65_500, 65_500), false),
            ("image/png", png(u32::MAX, u32::MAX), false),
            ("image/jpeg", jpeg(&[&frame(8_000, 6_000)]), true),
            ("image/jpeg", jpeg(&[&frame(65_500, 65_500)]), false),
            ("image/gif", gif([640, 480], b"", [0, 0, 640, 480]), true),
            ("image/gif", gif([65_500, 65_500], b"", [0, 0, 1, 1]), false),
            ("image/gif", gif([1, 1], b"", [0, 0, 65_500, 65_500]), false),
            ("image/webp", webps(16_000, 16_000)[0].clone(), false),
            ("image/webp", webps(16_000, 16_000)[1].clone(), false),
            ("image/webp", webps(1_600, 1_600)[0].clone(), true),
            ("image/webp", webps(1_600, 1_600)[1].clone(), true),
        ] {
            assert_eq!(is_bearable(media_type, &picture), wanted, "{media_type} {picture:?}");
        }
    }

    #[test]
    fn nothing_in_front_of_a_frame_hides_it() {
        let (large, small) = (frame(65_500, 65_500), frame(1, 1));
        let small_copy = [&b"\xff\xe1\0\x20"[..], &small, &[0; 20]].concat();
        for parts in [
            vec![&small_copy[..], &large],
            vec![&b"\xff\xff"[..], &large, &small],
            vec![&b"\xff\x01"[..], &large, &small],
            vec![&b"\xff\xd8"[..], &large, &small],
            vec![&b"\0\0\xff\0"[..], &large],
            vec![&b"\xff\xe0\0\0"[..], &large],
        ] {
            assert_eq!(size_of_jpeg(&jpeg(&parts)), Some((65_500, 65_500)), "{parts:?}");
        }
        let behind_another = [&png(1, 1)[..8], b"\0\0\0\x04CgBI1234sums", &png(7, 9)[8..]].concat();
        assert_eq!(size_of_png(&behind_another), Some((7, 9)));
        assert_eq!(size_of_png(b"\x89PNG\r\n\x1a\n a picture of a blue dress"), None, "no picture at all");
        let comment = b"\x21\xfe\x03abc\x01d\0\x21\xf9\x04\0\0\0\0\0";
        assert_eq!(size_of_gif(&gif([2, 3], comment, [1, 1, 4, 1])), Some((5, 3)));
    }

    #[test]
    fn a_picture_that_hides_its_size_behind_much_else_is_not_borne_and_half_of_one_is() {
        let notes = [&b"\xff\xe1\xff\xff"[..], &vec![0_u8; 65_533]].concat();
        let hidden = jpeg(&[&notes, &notes, &notes, &notes, &frame(1, 1)]);
        assert!(!is_bearable("image/jpeg", &hidden[..PICTURE_HEAD]));
        for media_type in ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"] {
            for head in [&b""[..], b"\xff\xd8\xff", b"GIF89a", &[0; 100]] {
                assert!(is_bearable(media_type, head), "{media_type} {head:?}");
            }
        }
    }
}
