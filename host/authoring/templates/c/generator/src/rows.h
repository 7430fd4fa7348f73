// What a row holds: functions of the seed and the row's position, which `make test` runs without a host.

#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// When the first row was, in milliseconds since the Unix epoch: the start of 2026.
#define START_MS INT64_C(1767225600000)

// Between two readings of one host, in milliseconds.
#define STEP_MS INT64_C(1000)

// The dataset: row after row, each host in turn.
struct readings {
  uint64_t seed;
  // At least 1.
  uint32_t hosts;
};

// Which host the row is of.
uint32_t row_host(struct readings of, uint64_t row);

// The row's time in milliseconds. False past the last one that there is.
bool row_time(struct readings of, uint64_t row, int64_t *time_ms);

// From 0 to 100, with two decimals.
double row_value(struct readings of, uint64_t row);

// From 0 to 999. False for one row in ten, which has none.
bool row_count(struct readings of, uint64_t row, int64_t *count);

// Reads a number from 1 up to `most`. False for anything else.
bool read_hosts(const void *digits, size_t length, uint32_t most, uint32_t *hosts);

#endif
