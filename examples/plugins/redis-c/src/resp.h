// The protocol of Redis (RESP 2) and the way rows lie in it: functions that `make test` runs without a host.
//
// A table is one sorted set. A row's score is its time in milliseconds, its member a text that tells the whole row, so that a payload
// which is sent twice stores every row once.

#ifndef RESP_H
#define RESP_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum reply_kind {
  // No reply of Redis.
  REPLY_STRANGE,
  // A short text.
  REPLY_TEXT,
  // `number` is what the server counted.
  REPLY_NUMBER,
  // A text of `number` bytes follows; -1: there is no such thing.
  REPLY_BULK,
  // The server said no, with a code.
  REPLY_ERROR,
  // The same, but the command may succeed later: it is starting, busy with a script, or moving.
  REPLY_BUSY,
};

// What a reply's first line says. Its texts point into that line.
struct reply {
  enum reply_kind kind;
  int64_t number;
  const char *words;
  size_t words_length;
  // How many of the words' bytes are the code of an error.
  size_t code_length;
};

// Reads the first line of a reply, with its end.
struct reply parse_reply(const void *line, size_t length);

// Begins a command of so many parts.
void add_command(struct text *to, size_t parts);

// Adds one part, which may hold any bytes.
void add_part(struct text *to, const void *bytes, size_t length);

// Adds a number, in digits that read back equal.
void add_float(struct text *to, double value);

// The first whole millisecond at or after a time.
int64_t ceiling_ms(int64_t ns);

// A time of which `per` make a millisecond (0: it is in seconds) in whole milliseconds. False when it is finer, or later than any.
bool whole_ms(int64_t time, int64_t per, int64_t *milliseconds);

#endif
