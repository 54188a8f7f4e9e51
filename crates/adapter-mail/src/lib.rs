//! Mail to members, over SMTP.
