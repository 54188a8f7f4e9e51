//! The WhatsApp Cloud API: sends, templates, numbers, and the parsing of its webhooks.
