// Run by `make test`, without a host.

#include <stdio.h>

#include "rows.h"

static int failures;

#define CHECK(what)                                          \
  do {                                                       \
    if (!(what)) {                                           \
      fprintf(stderr, "line %d: %s\n", __LINE__, #what);     \
      failures++;                                            \
    }                                                        \
  } while (0)

static const struct readings THREE = {.seed = 42, .hosts = 3};

static void hosts_take_turns_and_time_goes_on_after_the_last(void) {
  int64_t time;
  CHECK(row_host(THREE, 2) == 2 && row_time(THREE, 2, &time) && time == START_MS);
  CHECK(row_host(THREE, 3) == 0 && row_time(THREE, 3, &time) && time == START_MS + 1000);
  CHECK(!row_time(THREE, UINT64_MAX, &time));
}

static void values_are_in_range_and_depend_on_seed_and_row_alone(void) {
  const struct readings other = {.seed = 43, .hosts = 3};
  int same = 0;
  for (uint64_t row = 0; row < 1000; row++) {
    double value = row_value(THREE, row);
    CHECK(value >= 0 && value <= 100);
    CHECK(value == row_value(THREE, row));
    same += value == row_value(other, row);
  }
  CHECK(same < 100);
}

static void about_one_count_in_ten_is_missing(void) {
  int missing = 0;
  for (uint64_t row = 0; row < 10000; row++) {
    int64_t count;
    missing += !row_count(THREE, row, &count);
    CHECK(count >= 0 && count < 1000);
  }
  CHECK(missing > 900 && missing < 1100);
}

static void the_number_of_hosts_is_a_number(void) {
  uint32_t hosts;
  CHECK(read_hosts("100", 3, 100, &hosts) && hosts == 100);
  CHECK(!read_hosts("101", 3, 100, &hosts));
  CHECK(!read_hosts("0", 1, 100, &hosts));
  CHECK(!read_hosts("", 0, 100, &hosts));
  CHECK(!read_hosts("-1", 2, 100, &hosts));
  CHECK(!read_hosts("99999999999999999999999", 23, UINT32_MAX, &hosts));
}

int main(void) {
  hosts_take_turns_and_time_goes_on_after_the_last();
  values_are_in_range_and_depend_on_seed_and_row_alone();
  about_one_count_in_ten_is_missing();
  the_number_of_hosts_is_a_number();
  puts(failures == 0 ? "all tests passed" : "tests failed");
  return failures != 0;
}
