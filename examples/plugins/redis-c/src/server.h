// The conversation with the server: one connection, made when it is needed, and again after it broke.

#ifndef SERVER_H
#define SERVER_H

#include "target.h"
#include "text.h"

#define KIND(name) BENCHHOST_PLUGIN_TYPES_ERROR_KIND_##name

typedef benchhost_plugin_types_error_t error;

void server_set_endpoint(const void *bytes, size_t length);
void server_set_password(const void *bytes, size_t length);

// Sends a command and frees it. Reads the reply: its number into `number`, or its text into `text`. NULL where it is not wanted.
bool server_ask(struct text *request, int64_t *number, struct text *text, error *err);

// Sends a payload, which does not pass through this component, and reads the reply.
bool server_send(benchhost_plugin_data_borrow_payload_t payload, error *err);

// Ends the connection and forgets where it led.
void server_close(void);

// These fill in an error for which trying again is of no use. They give false, so that it can be returned at once.
bool failed(error *err, benchhost_plugin_types_error_kind_t kind, const char *message, size_t length);
bool failed_with(error *err, benchhost_plugin_types_error_kind_t kind, const struct text *message);
bool strange(error *err, const void *answer, size_t length);

#endif
