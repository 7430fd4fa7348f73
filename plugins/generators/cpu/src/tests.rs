//! Tests of the CPU dataset.
#![allow(clippy::unwrap_used, reason = "tests")]

use benchhost_plugin::{Batch, Column, ErrorKind, testing};

use super::*;

const START_MS: i64 = 1_704_067_200_000;

/// Rows 0 and 1 of each field with seed 42, computed by another program from the definition of SplitMix64.
const GOLDEN: [[f64; 2]; 5] = [
    [38.697427624004085, 17.94570550999316],
    [92.13172250065324, 6.121698729951808],
    [8.31163410551612, 31.855486258453634],
    [603490593.7375687, 840565545.9119198],
    [498137504.37699956, 406640845.1950089],
];

fn open(settings: &[(&str, &str)], seed: u64) -> (Cpu, Facts) {
    testing::open_generator(settings, seed).unwrap()
}

fn rows(settings: &[(&str, &str)], seed: u64, first: u64, rows: u32) -> Batch {
    let (mut cpu, facts) = open(settings, seed);
    testing::fill(&mut cpu, &facts, 0, first, rows).unwrap()
}

fn refusal(settings: &[(&str, &str)]) -> Error {
    testing::open_generator::<Cpu>(settings, 0).err().unwrap()
}

/// A column whose rows are the same function of the row number in every batch.
fn tags(batch: &Batch) -> Vec<[String; 4]> {
    let columns: Vec<Vec<String>> = (0..4).map(|column| batch.strings(column)).collect();
    (0..batch.rows() as usize).map(|row| std::array::from_fn(|column| columns[column][row].clone())).collect()
}

#[test]
fn the_table_is_as_published() {
    let (_, facts) = open(&[], 0);
    let columns: Vec<(&str, DataType)> =
        facts.tables[0].columns.iter().map(|Column { name, data_type, .. }| (name.as_str(), *data_type)).collect();
    let expected = [
        ("host", DataType::Utf8),
        ("region", DataType::Utf8),
        ("datacenter", DataType::Utf8),
        ("service", DataType::Utf8),
        ("cpu", DataType::Float64),
        ("memory", DataType::Float64),
        ("disk_util", DataType::Float64),
        ("net_in", DataType::Float64),
        ("net_out", DataType::Float64),
        ("ts", DataType::TimestampMillisecond),
    ];
    assert_eq!(columns, expected);
    assert_eq!(facts.tables[0].name, "cpu");
    assert!(facts.tables[0].columns.iter().all(|column| !column.nullable));
    assert_eq!((facts.rows, facts.series, facts.seekable), (None, 100_000, true));
}

#[test]
fn series_go_round_with_the_service_fastest() {
    let expected = |row: u64, hosts: u64| {
        let series = row % (hosts * 1000);
        let regions = ["us-east-1", "us-west-2", "eu-west-1", "ap-southeast-1", "ap-northeast-1"];
        [
            format!("host-{}", series / 1000),
            regions[(series % 1000 / 200) as usize].to_owned(),
            format!("dc-{}", series % 200 / 20),
            format!("svc-{:02}", series % 20),
        ]
    };
    for first in [0, 1, 19, 20, 199, 200, 999, 1000, 2999, 3000, 123_456_789_012] {
        let batch = rows(&[("hosts", "3")], 0, first, 3500);
        for (row, tags) in tags(&batch).into_iter().enumerate() {
            assert_eq!(tags, expected(first + row as u64, 3), "row {row} from {first}");
        }
    }
}

#[test]
fn known_rows_have_known_tags() {
    let row = |row: u64| tags(&rows(&[], 0, row, 1)).remove(0).join(" ");
    assert_eq!(row(0), "host-0 us-east-1 dc-0 svc-00");
    assert_eq!(row(21), "host-0 us-east-1 dc-1 svc-01");
    assert_eq!(row(999), "host-0 ap-northeast-1 dc-9 svc-19");
    assert_eq!(row(1000), "host-1 us-east-1 dc-0 svc-00");
    assert_eq!(row(99_999), "host-99 ap-northeast-1 dc-9 svc-19");
    assert_eq!(row(100_000), "host-0 us-east-1 dc-0 svc-00");
}

#[test]
fn times_are_a_step_apart_from_the_start_on() {
    assert_eq!(rows(&[], 0, 0, 3).timestamps(), [START_MS, START_MS + 1, START_MS + 2]);
    assert_eq!(rows(&[], 0, 5_000_000_000, 1).timestamps(), [START_MS + 5_000_000_000]);
    let settings = [("start", "1969-12-31T23:59:59.5Z"), ("step_ms", "1000")];
    assert_eq!(rows(&settings, 0, 1, 2).timestamps(), [500, 1500]);
}

#[test]
fn the_first_values_of_seed_42_never_change() {
    let batch = rows(&[], 42, 0, 2);
    let values: Vec<Vec<f64>> = (4..9).map(|column| batch.float64s(column)).collect();
    assert_eq!(values, GOLDEN);
}

#[test]
fn values_are_uniform_below_their_bound() {
    let batch = rows(&[], 7, 0, 100_000);
    for (column, (name, bound)) in FIELDS.into_iter().enumerate() {
        let values = batch.float64s(column as u32 + 4);
        assert!(values.iter().all(|&value| (0.0..bound).contains(&value)), "{name}");
        for tenth in 0..10 {
            let (low, high) = (bound * f64::from(tenth) / 10.0, bound * f64::from(tenth + 1) / 10.0);
            let share = values.iter().filter(|&&value| low <= value && value < high).count();
            // Ten standard deviations: 10,000 expected, sqrt(100,000 * 0.1 * 0.9) is 95.
            assert!((9_050..=10_950).contains(&share), "{name}: {share} from {low} to {high}");
        }
    }
}

#[test]
fn the_largest_random_number_stays_below_the_bound() {
    for bound in [100.0, 1e9] {
        let scale = bound / (1_u64 << 53) as f64;
        assert!(((1_u64 << 53) - 1) as f64 * scale < bound);
    }
}

#[test]
fn pieces_in_any_order_are_the_whole() {
    let whole = rows(&[("hosts", "2")], 5, 0, 5000);
    let (mut cpu, facts) = open(&[("hosts", "2")], 5);
    let starts = [0_u32, 1, 777, 1000, 1999, 2001, 4999, 5000];
    for range in starts.windows(2).rev() {
        let (from, to) = (range[0] as usize, range[1] as usize);
        let piece = testing::fill(&mut cpu, &facts, 0, range[0].into(), range[1] - range[0]).unwrap();
        for column in 0..4 {
            assert_eq!(piece.keys(column), whole.keys(column)[from..to]);
        }
        for column in 4..9 {
            assert_eq!(piece.float64s(column), whole.float64s(column)[from..to]);
        }
        assert_eq!(piece.timestamps(), whole.timestamps()[from..to]);
    }
}

#[test]
fn a_batch_of_several_chunks_is_the_same_as_two_batches() {
    let whole = rows(&[], 5, 3, CHUNK + 10);
    let tail = rows(&[], 5, 3 + u64::from(CHUNK), 10);
    assert_eq!(whole.float64s(4)[CHUNK as usize..], tail.float64s(4));
    assert_eq!(whole.keys(3)[CHUNK as usize..], tail.keys(3));
    assert_eq!(whole.timestamps()[CHUNK as usize..], tail.timestamps());
}

#[test]
fn neighbouring_seeds_share_no_values() {
    let of = |seed| rows(&[], seed, 0, 1000).float64s(4).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let one = of(1);
    assert_eq!(one, of(1));
    let two = of(2);
    assert!(one.iter().all(|value| !two.contains(value)));
}

#[test]
fn columns_differ_from_each_other() {
    let batch = rows(&[], 1, 0, 100);
    assert_ne!(batch.float64s(4), batch.float64s(5));
    assert_ne!(batch.float64s(7), batch.float64s(8));
}

#[test]
fn hosts_have_bounds() {
    assert_eq!(open(&[("hosts", "1")], 0).1.series, 1000);
    assert_eq!(open(&[("hosts", "16777")], 0).1.series, 16_777_000);
    for hosts in ["0", "16778"] {
        let error = refusal(&[("hosts", hosts)]);
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert_eq!(error.message, format!("setting `hosts`: {hosts} is not from 1 to 16777"));
    }
}

#[test]
fn other_settings_are_checked_too() {
    assert!(refusal(&[("table", "")]).message.contains("`table`"));
    assert!(refusal(&[("step_ms", "0")]).message.contains("`step_ms`"));
    assert!(refusal(&[("start", "yesterday")]).message.contains("`yesterday` is no time such as 2024-01-01T00:00:00Z"));
    assert!(refusal(&[("start", "2024-01-01T00:00:00.0001Z")]).message.contains("finer than a millisecond"));
}

#[test]
fn the_table_has_the_name_that_the_user_gives() {
    assert_eq!(open(&[("table", "t1")], 0).1.tables[0].name, "t1");
}

#[test]
fn there_is_one_table_and_time_ends() {
    let (mut cpu, facts) = open(&[], 0);
    assert_eq!(testing::fill(&mut cpu, &facts, 1, 0, 1).unwrap_err().kind, ErrorKind::Invalid);
    let error = testing::fill(&mut cpu, &facts, 0, u64::MAX, 1).unwrap_err();
    assert_eq!(error.message, format!("row {} lies past the end of time in milliseconds", u64::MAX));
}
