//! Every function of the API, one line each.
