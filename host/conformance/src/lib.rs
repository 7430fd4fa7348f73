//! Whether a plugin keeps the contract: a list of rules, and what a plugin does with a server that fails on purpose.
