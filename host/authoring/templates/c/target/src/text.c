#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add_bytes(struct text *text, const void *bytes, size_t length) {
  size_t needed = text->length + length + 1;
  if (needed > text->room) {
    text->room = needed + needed / 2;
    text->at = realloc(text->at, text->room);
    // The host tells of it, drops this instance and goes on with a new one.
    if (text->at == NULL) abort();
  }
  if (length > 0) memcpy(text->at + text->length, bytes, length);
  text->length += length;
  text->at[text->length] = 0;
}

void text_add(struct text *text, const char *words) {
  text_add_bytes(text, words, strlen(words));
}

void text_add_formatted(struct text *text, const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  // What is formatted here is short; should it not be, it is cut.
  if (length > 0) {
    text_add_bytes(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
  }
}

void text_free(struct text *text) {
  free(text->at);
  *text = (struct text){0};
}
