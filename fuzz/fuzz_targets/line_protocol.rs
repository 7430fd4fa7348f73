//! What the line protocol encoder writes is read back by an independent reader and compared: the cases of the unit tests, of which the fuzzer's bytes
//! are the seed: those that reach something new are kept.

#![no_main]
#![allow(dead_code, reason = "modules of the tests, of which this needs a part")]

#[path = "../../host/data/tests/all/common/mod.rs"]
mod common;

use benchhost_data::{EncodeError, Interner, LineProtocol};
use common::line::read;
use common::said::{assert_same, cases, expected, lines};
use libfuzzer_sys::{Corpus, fuzz_target};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

fuzz_target!(|data: &[u8]| -> Corpus {
    // As bytes of the cases themselves they would end too early, and a choice that must differ from another one would be made for ever.
    let mut seed = [0; 32];
    seed.iter_mut().zip(data).for_each(|(into, byte)| *into = *byte);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let Ok(tree) = cases().new_tree(&mut runner) else { return Corpus::Reject };
    let (model, precision, part) = tree.current();
    let batch = model.batch(&Interner::new(), 0, model.times.len(), part);
    let mut encoder = LineProtocol::new(precision);
    match (lines(&mut encoder, &batch), expected(&model, precision)) {
        (Ok(text), Some(expected)) => {
            assert_same(&model, &read(&text).expect("it reads back"), &expected);
            assert_eq!(lines(&mut encoder, &batch).expect("it is written again"), text);
        }
        (Err(EncodeError::Invalid { .. }), None) => {}
        (got, expected) => panic!("{got:?} instead of {expected:?}"),
    }
    Corpus::Keep
});
