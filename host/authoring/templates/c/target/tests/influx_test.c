// Run by `make test`, without a host and without a server.

#include <stdio.h>
#include <string.h>

#include "influx.h"

static int failures;

#define CHECK(what)                                          \
  do {                                                       \
    if (!(what)) {                                           \
      fprintf(stderr, "line %d: %s\n", __LINE__, #what);     \
      failures++;                                            \
    }                                                        \
  } while (0)

static void names_and_parameters_cannot_break_out(void) {
  struct text name = {0}, parameter = {0};
  add_identifier(&name, "a\"b\\c", 5);
  CHECK(strcmp(name.at, "\"a\\\"b\\\\c\"") == 0);
  add_percent_encoded(&parameter, "a b&\xc3\xa4=1", 8);
  CHECK(strcmp(parameter.at, "a%20b%26%C3%A4%3D1") == 0);
  text_free(&name);
  text_free(&parameter);
}

static void a_count_is_found_or_none_is_made_up(void) {
  uint64_t count = 7;
  CHECK(find_count("{\"results\":[{\"series\":[{\"values\":[[0,1200]]}]}]}", &count) && count == 1200);
  CHECK(find_count("{\"results\":[{\"statement_id\":0}]}", &count) && count == 0);
  CHECK(find_count("", &count) && count == 0);
  CHECK(!find_count("<html>", &count));
  CHECK(!find_count("{\"results\":[{\"series\":[{\"values\":[[0,\"x\"]]}]}]}", &count));
  CHECK(!find_count("\"values\":[[0,99999999999999999999]]", &count));
  CHECK(!find_count("\"values\":[[", &count));
}

static void a_refusal_is_told_apart_from_a_name(void) {
  size_t length;
  const char *words = find_refusal("{\"results\":[{\"error\":\"database not found: x\"}]}\n", &length);
  CHECK(words != NULL && length == 21 && strncmp(words, "database not found: x", length) == 0);
  CHECK(find_refusal("{\"name\":\"\\\"error\\\":\\\"no\"}", &length) == NULL);
}

static void a_range_is_one_that_the_server_knows(void) {
  int64_t start = INT64_MIN, end = INT64_MAX;
  CHECK(clamp_times(&start, &end) && start == INT64_MIN + 2 && end == INT64_MAX - 1);
  start = end = 7;
  CHECK(!clamp_times(&start, &end));
}

static void a_wait_is_in_milliseconds(void) {
  uint64_t wait;
  CHECK(retry_after_ms(" 3 ", 3, &wait) && wait == 3000);
  CHECK(!retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT", 29, &wait));
  CHECK(!retry_after_ms("", 0, &wait));
  CHECK(!retry_after_ms("18446744073709551615", 20, &wait));
}

static void what_is_no_utf_8_is_told_as_such(void) {
  struct text text = {0};
  const char good[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
  text_add_foreign(&text, good, sizeof good - 1);
  CHECK(strcmp(text.at, good) == 0);
  text_free(&text);
  // Cut short, a surrogate, a form that is too long, past the last character, a byte that never occurs.
  text_add_foreign(&text, "\xc3|\xed\xa0\x80|\xc0\xaf|\xf4\x90\x80\x80|\xff|\xe2\x82", 18);
  CHECK(strcmp(text.at, "?|???|??|????|?|??") == 0);
  text_free(&text);
}

int main(void) {
  what_is_no_utf_8_is_told_as_such();
  names_and_parameters_cannot_break_out();
  a_count_is_found_or_none_is_made_up();
  a_refusal_is_told_apart_from_a_name();
  a_range_is_one_that_the_server_knows();
  a_wait_is_in_milliseconds();
  puts(failures == 0 ? "all tests passed" : "tests failed");
  return failures != 0;
}
