#include "influx.h"

#include <string.h>

void add_identifier(struct text *to, const void *name, size_t length) {
  const char *at = name;
  text_add(to, "\"");
  for (size_t i = 0; i < length; i++) {
    if (at[i] == '"' || at[i] == '\\') text_add(to, "\\");
    if (at[i] == '\n') {
      text_add(to, "\\n");
    } else {
      text_add_bytes(to, at + i, 1);
    }
  }
  text_add(to, "\"");
}

void add_percent_encoded(struct text *to, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length; i++) {
    bool plain = (at[i] >= 'A' && at[i] <= 'Z') || (at[i] >= 'a' && at[i] <= 'z') ||
                 (at[i] >= '0' && at[i] <= '9') || (at[i] != 0 && strchr("-._~", at[i]) != NULL);
    if (plain) {
      text_add_bytes(to, at + i, 1);
    } else {
      text_add_formatted(to, "%%%02X", (unsigned)at[i]);
    }
  }
}

bool clamp_times(int64_t *start_ns, int64_t *end_ns) {
  // The earliest time that the server knows, and the first that it does not.
  const int64_t first = INT64_MIN + 2, past = INT64_MAX - 1;
  if (*start_ns < first) *start_ns = first;
  if (*end_ns > past) *end_ns = past;
  return *start_ns < *end_ns;
}

// Reads digits up to the first other character. False where there are none, or too many.
static bool read_number(const char *from, const char *to, uint64_t *number) {
  uint64_t read = 0;
  const char *at = from;
  for (; at < to && *at >= '0' && *at <= '9'; at++) {
    if (__builtin_mul_overflow(read, 10, &read)) return false;
    if (__builtin_add_overflow(read, (uint64_t)(*at - '0'), &read)) return false;
  }
  if (at == from) return false;
  *number = read;
  return true;
}

bool find_count(const char *answer, uint64_t *count) {
  const char *row = strstr(answer, "\"values\":[[");
  if (row == NULL) {
    *count = 0;
    return answer[0] == 0 || strstr(answer, "\"results\":[") != NULL;
  }
  // A row is the time and the count.
  const char *end = strchr(row, ']');
  const char *comma = strchr(row, ',');
  if (end == NULL || comma == NULL || comma > end) return false;
  return read_number(comma + 1, end, count);
}

const char *find_refusal(const char *answer, size_t *length) {
  // In JSON, a quote inside a text has a backslash before it, so no name can look like this key.
  const char *key = "\"error\":\"";
  const char *words = strstr(answer, key);
  if (words == NULL) return NULL;
  words += strlen(key);
  *length = strlen(words);
  while (*length > 0 && strchr("\"]} \r\n", words[*length - 1]) != NULL) *length -= 1;
  return words;
}

bool retry_after_ms(const void *header, size_t length, uint64_t *milliseconds) {
  const char *from = header, *to = from + length;
  while (from < to && *from == ' ') from++;
  while (from < to && to[-1] == ' ') to--;
  // A date is allowed as well; the host waits as it sees fit then.
  for (const char *at = from; at < to; at++) {
    if (*at < '0' || *at > '9') return false;
  }
  uint64_t seconds;
  return read_number(from, to, &seconds) && !__builtin_mul_overflow(seconds, 1000, milliseconds);
}
