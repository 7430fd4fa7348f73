// Strings that grow.

#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

// Starts out as `{0}`. Its bytes are followed by a NUL, and may hold others.
struct text {
  char *at;
  size_t length;
  size_t room;
};

void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_add(struct text *text, const char *words);
void text_add_formatted(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Adds what may be no UTF-8, which the contract has every string be: whatever is none of it becomes a `?`.
void text_add_foreign(struct text *text, const void *bytes, size_t length);

void text_free(struct text *text);

#endif
