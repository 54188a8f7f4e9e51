//! Orders in a workspace's system: what it says of one, and what it is asked to do.

mod order;
mod reference;
mod request;
mod stage;
mod status;

pub use order::{LookedUpOrder, MAX_ORDER_LINES, Order, OrderLine};
pub use reference::OrderReference;
pub use request::{CreationKey, DeliveryAddress, OrderRequest, OrderedLine, Recipient};
pub use stage::OrderStage;
pub use status::OrderStatus;
