#include "resp.h"

#include <string.h>

static const char *const BUSY[] = {"LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN"};

// Reads a whole text as a number.
static bool read_number(const char *digits, size_t length, int64_t *number) {
  bool negative = length > 0 && digits[0] == '-';
  int64_t read = 0;
  if (length == (size_t)negative) return false;
  for (size_t i = negative; i < length; i++) {
    if (digits[i] < '0' || digits[i] > '9') return false;
    int64_t digit = negative ? '0' - digits[i] : digits[i] - '0';
    if (__builtin_mul_overflow(read, 10, &read) || __builtin_add_overflow(read, digit, &read)) return false;
  }
  *number = read;
  return true;
}

struct reply parse_reply(const void *line, size_t length) {
  const char *at = line;
  struct reply reply = {.kind = REPLY_STRANGE, .words = at, .words_length = length};
  size_t end = length;
  while (end > 0 && (at[end - 1] == '\r' || at[end - 1] == '\n')) end--;
  if (end == 0) return reply;
  const char *rest = at + 1;
  size_t rest_length = end - 1;
  if (at[0] == ':' && read_number(rest, rest_length, &reply.number)) {
    reply.kind = REPLY_NUMBER;
  } else if (at[0] == '$' && read_number(rest, rest_length, &reply.number) && reply.number >= -1) {
    reply.kind = REPLY_BULK;
  } else if (at[0] == '+' || at[0] == '-') {
    reply.kind = at[0] == '+' ? REPLY_TEXT : REPLY_ERROR;
    reply.words = rest;
    reply.words_length = rest_length;
  }
  if (reply.kind == REPLY_ERROR) {
    const char *space = memchr(rest, ' ', rest_length);
    reply.code_length = space == NULL ? rest_length : (size_t)(space - rest);
    for (size_t i = 0; i < sizeof BUSY / sizeof *BUSY; i++) {
      if (strlen(BUSY[i]) == reply.code_length && memcmp(BUSY[i], rest, reply.code_length) == 0) {
        reply.kind = REPLY_BUSY;
      }
    }
  }
  return reply;
}

void add_command(struct text *to, size_t parts) {
  text_add_formatted(to, "*%zu\r\n", parts);
}

void add_part(struct text *to, const void *bytes, size_t length) {
  text_add_formatted(to, "$%zu\r\n", length);
  text_add_bytes(to, bytes, length);
  text_add(to, "\r\n");
}

// Adds a number that has at most four decimals. False for any other: `printf` is ten times as slow, for it works with long arithmetic.
static bool add_short_float(struct text *to, double value) {
  double scaled = value * 10000;
  // Below this bound every whole number is a double, so that the division is exact to the last digit.
  if (!(scaled > -9e15 && scaled < 9e15)) return false;
  int64_t nearest = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
  if ((double)nearest / 10000 != value) return false;
  int64_t size = nearest < 0 ? -nearest : nearest, decimals = size % 10000;
  text_add_formatted(to, "%s%lld", nearest < 0 ? "-" : "", (long long)(size / 10000));
  if (decimals == 0) return true;
  text_add_formatted(to, ".%04lld", (long long)decimals);
  while (to->at[to->length - 1] == '0') to->at[--to->length] = 0;
  return true;
}

void add_float(struct text *to, double value) {
  // 17 digits tell any two numbers apart.
  if (!add_short_float(to, value)) text_add_formatted(to, "%.17g", value);
}

int64_t ceiling_ms(int64_t ns) {
  // Division cuts towards zero, which is up for what is negative.
  return ns / 1000000 + (ns % 1000000 > 0);
}

bool whole_ms(int64_t time, int64_t per, int64_t *milliseconds) {
  if (per == 0) return !__builtin_mul_overflow(time, INT64_C(1000), milliseconds);
  *milliseconds = time / per;
  return time % per == 0;
}
