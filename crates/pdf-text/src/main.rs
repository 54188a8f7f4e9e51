//! Reads a PDF from standard input as the service has it read.

fn main() -> std::io::Result<()> {
    pdf_text::serve()
}
