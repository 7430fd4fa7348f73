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

// How many bytes the character at `at` takes in UTF-8; 0 where there is none.
static size_t character(const unsigned char *at, size_t left) {
  if (at[0] < 0x80) return 1;
  size_t size = at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
  if (size == 0 || size > left) return 0;
  // Some first bytes leave less room to the second: for short forms, surrogates, and what lies past the last character.
  unsigned char first = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
  unsigned char last = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
  if (at[1] < first || at[1] > last) return 0;
  for (size_t i = 2; i < size; i++) {
    if (at[i] < 0x80 || at[i] > 0xBF) return 0;
  }
  return size;
}

void text_add_foreign(struct text *text, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length;) {
    size_t size = character(at + i, length - i);
    if (size == 0) {
      text_add(text, "?");
      i++;
    } else {
      text_add_bytes(text, at + i, size);
      i += size;
    }
  }
}

void text_free(struct text *text) {
  free(text->at);
  *text = (struct text){0};
}
