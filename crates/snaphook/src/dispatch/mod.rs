//! The way of an event through its handlers, by reply class: gates (`gate`), tools behind them (`tool`), everything else (`emit`).
//! `handler_loop` is the loop that they share, `poll_handler` one run of one handler. Not here: which handlers there are (`load`),
//! threads that can be left behind (`supervise`), and what handlers ask of the host (`services`).

pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod emit;
pub(crate) mod failed_check;
pub(crate) mod gate;
pub(crate) mod handler_loop;
pub(crate) mod hold;
pub(crate) mod poll_handler;
pub(crate) mod tool;
mod withhold;
