//! Requests for appointments, for members to confirm.

pub mod ports;
mod request_booking;

pub use request_booking::{BookingAsked, BookingRequest, LONGEST_WISH, RequestBooking, RequestBookingError};
