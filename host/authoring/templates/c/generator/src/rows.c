#include "rows.h"

// Stirs 64 bits so that each depends on all (the last step of SplitMix64).
static uint64_t mixed(uint64_t bits) {
  bits += UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
  return bits ^ (bits >> 31);
}

// 64 bits that look random: the same for the same seed, row and purpose, whatever was asked before.
static uint64_t chance(struct readings of, uint64_t row, uint64_t purpose) {
  return mixed(mixed(of.seed ^ mixed(purpose)) ^ row);
}

uint32_t row_host(struct readings of, uint64_t row) {
  return (uint32_t)(row % of.hosts);
}

bool row_time(struct readings of, uint64_t row, int64_t *time_ms) {
  return !__builtin_mul_overflow(row / of.hosts, STEP_MS, time_ms) &&
         !__builtin_add_overflow(*time_ms, START_MS, time_ms);
}

double row_value(struct readings of, uint64_t row) {
  return (double)(chance(of, row, 0) % 10001) / 100.0;
}

bool row_count(struct readings of, uint64_t row, int64_t *count) {
  uint64_t drawn = chance(of, row, 1);
  *count = (int64_t)(drawn / 10 % 1000);
  return drawn % 10 != 0;
}

bool read_hosts(const void *digits, size_t length, uint32_t most, uint32_t *hosts) {
  const char *at = digits;
  uint64_t read = 0;
  for (size_t i = 0; i < length; i++) {
    if (at[i] < '0' || at[i] > '9') return false;
    read = read * 10 + (uint64_t)(at[i] - '0');
    if (read > most) return false;
  }
  *hosts = (uint32_t)read;
  return read > 0;
}
