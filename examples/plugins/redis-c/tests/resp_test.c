// Run by `make test`, without a host and without a server.

#include <stdio.h>
#include <string.h>

#include "resp.h"

static int failures;

#define CHECK(what)                                          \
  do {                                                       \
    if (!(what)) {                                           \
      fprintf(stderr, "line %d: %s\n", __LINE__, #what);     \
      failures++;                                            \
    }                                                        \
  } while (0)

static struct reply parsed(const char *line) {
  return parse_reply(line, strlen(line));
}

static void a_command_says_how_long_each_part_is(void) {
  struct text command = {0};
  add_command(&command, 3);
  add_part(&command, "SET", 3);
  add_part(&command, "\xc3\xa4", 2);
  add_part(&command, "\0\r\n", 3);
  const char wanted[] = "*3\r\n$3\r\nSET\r\n$2\r\n\xc3\xa4\r\n$3\r\n\0\r\n\r\n";
  CHECK(command.length == sizeof wanted - 1 && memcmp(command.at, wanted, command.length) == 0);
  text_free(&command);
}

static void replies_are_told_apart(void) {
  CHECK(parsed("+PONG\r\n").kind == REPLY_TEXT);
  CHECK(parsed(":-12\r\n").kind == REPLY_NUMBER && parsed(":-12\r\n").number == -12);
  CHECK(parsed("$-1\r\n").kind == REPLY_BULK && parsed("$-1\r\n").number == -1);
  CHECK(parsed("$5\r\n").kind == REPLY_BULK && parsed("$5\r\n").number == 5);
  struct reply refused = parsed("-WRONGTYPE no\r\n");
  CHECK(refused.kind == REPLY_ERROR && refused.code_length == 9 && refused.words_length == 12);
  CHECK(parsed("-OOM command not allowed\r\n").kind == REPLY_ERROR);
  CHECK(parsed("-LOADING wait\r\n").kind == REPLY_BUSY && parsed("-BUSY\r\n").kind == REPLY_BUSY);
  const char *strange[] = {"HTTP/1.1 400\r\n", "", "\r\n", ":x\r\n", ":\r\n", ":-\r\n", "$-2\r\n", ":99999999999999999999\r\n"};
  for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) CHECK(parsed(strange[i]).kind == REPLY_STRANGE);
}

static void numbers_read_back_equal(void) {
  const double values[] = {0.1, -43.19, 1e300, -0.5, 0, 7, 123.0001, 1.00001, 38.697427624004085, 5e-324};
  const char *told[] = {"0.1", "-43.19", "1.0000000000000001e+300", "-0.5", "0", "7", "123.0001", "1.0000100000000001",
                        "38.697427624004085", "4.9406564584124654e-324"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct text text = {0};
    add_float(&text, values[i]);
    CHECK(strcmp(text.at, told[i]) == 0);
    text_free(&text);
  }
}

static void times_are_whole_milliseconds_or_refused(void) {
  int64_t time;
  CHECK(whole_ms(7, 0, &time) && time == 7000);
  CHECK(whole_ms(-5000, 1000, &time) && time == -5);
  CHECK(!whole_ms(1500, 1000, &time));
  CHECK(!whole_ms(INT64_MAX, 0, &time));
}

static void a_range_has_its_start_and_not_its_end(void) {
  CHECK(ceiling_ms(1) == 1 && ceiling_ms(2000000) == 2 && ceiling_ms(2000001) == 3);
  CHECK(ceiling_ms(-1000000) == -1 && ceiling_ms(-999999) == 0);
  CHECK(ceiling_ms(INT64_MIN) == INT64_C(-9223372036854) && ceiling_ms(INT64_MAX) == INT64_C(9223372036855));
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
  a_command_says_how_long_each_part_is();
  replies_are_told_apart();
  numbers_read_back_equal();
  times_are_whole_milliseconds_or_refused();
  a_range_has_its_start_and_not_its_end();
  puts(failures == 0 ? "all tests passed" : "tests failed");
  return failures != 0;
}
