// Names, statements and answers of InfluxDB 1: functions of text alone, which `make test` runs without a host.

#ifndef INFLUX_H
#define INFLUX_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

// Adds a name as it stands in a statement, in quotes.
void add_identifier(struct text *to, const void *name, size_t length);

// Adds a text as the value of a parameter in a URL.
void add_percent_encoded(struct text *to, const void *bytes, size_t length);

// Brings a range of time into what the server knows. False where nothing is left of it.
bool clamp_times(int64_t *start_ns, int64_t *end_ns);

// Finds the count in an answer: 0 where there is no series. False where the answer is another.
bool find_count(const char *answer, uint64_t *count);

// What the server says of a statement that it refused, whatever the status was; NULL where it did not.
const char *find_refusal(const char *answer, size_t *length);

// The header `Retry-After` in milliseconds. False where it is no number of seconds.
bool retry_after_ms(const void *header, size_t length, uint64_t *milliseconds);

#endif
