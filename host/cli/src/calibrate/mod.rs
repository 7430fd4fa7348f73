//! What `benchhost calibrate` is made of: a server of known times in a process of its own, the cases, their judgement and their page.

mod cases;
mod child;
mod judge;
mod measure;
mod print;
mod timer;

pub(crate) use cases::cases;
pub(crate) use child::serve;
pub(crate) use judge::Calibration;
pub(crate) use measure::{Bench, Outcome};
pub(crate) use print::text;
pub(crate) use timer::noise;
