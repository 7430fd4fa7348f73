// A target of benchhost: rows as line protocol over HTTP, as InfluxDB 1 takes them.
//
// The host calls the functions that begin with `exports_`, which are the exports of the world `target` in `wit/`. Rows, request bodies
// and connections live in the host; here are only handles to them. One instance of this component is one session of one worker, so its
// state may lie in static variables.
//
// Memory: what an exported function is given in lists and strings is its own to free, and what it gives must come from `malloc`, for
// the bindings free it. A handle that was lent (`borrow`) goes back by itself; one that is owned must be dropped.

#include <stdlib.h>
#include <string.h>

#include "influx.h"
#include "target.h"

typedef benchhost_plugin_types_error_t error;
typedef benchhost_plugin_http_own_response_t response;

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
static const char SETTINGS[] =
    "{\"type\": \"object\", \"properties\": {"
    "\"endpoint\": {\"type\": \"string\", \"description\": \"Address of the server: `http://host:port`.\"},"
    "\"database\": {\"type\": \"string\", \"description\": \"Name of the database; it is made when it is not there.\","
    " \"default\": \"benchhost\"}"
    "}, \"required\": [\"endpoint\"]}";

static struct {
  bool is_open;
  benchhost_plugin_http_own_client_t client;
  // The request that carries every batch. The host has checked and copied it once.
  benchhost_plugin_http_own_request_t write;
  // It remembers what it can reuse between batches.
  benchhost_plugin_encode_own_line_protocol_t encoder;
  struct text database;
} session;

// Fills in an error for which trying again is of no use. Gives false, so that it can be returned at once.
static bool failed(error *err, benchhost_plugin_types_error_kind_t kind, const char *message, size_t length) {
  *err = (error){.kind = kind};
  target_string_dup_n(&err->message, message, length);
  return false;
}

static bool failed_with(error *err, benchhost_plugin_types_error_kind_t kind, const char *message) {
  return failed(err, kind, message, strlen(message));
}

static bool check_open(error *err) {
  return session.is_open || failed_with(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_INTERNAL, "there is no open session");
}

// A string of the bindings that shows `words` without a copy, for an import that only reads it.
static target_string_t shown(const char *words) {
  return (target_string_t){(uint8_t *)words, strlen(words)};
}

// Adds at most `max` bytes of an answer's body.
static void add_body(struct text *to, response from, uint32_t max) {
  benchhost_plugin_data_own_payload_t body =
      benchhost_plugin_http_method_response_body(benchhost_plugin_http_borrow_response(from));
  target_list_u8_t bytes;
  benchhost_plugin_data_method_payload_read(benchhost_plugin_data_borrow_payload(body), 0, max, &bytes);
  text_add_foreign(to, bytes.ptr, bytes.len);
  target_list_u8_free(&bytes);
  benchhost_plugin_data_payload_drop_own(body);
}

// Whether the status is 2xx. Otherwise fills in the error that it stands for, and drops the response.
static bool accepted(response response, error *err) {
  uint16_t status = benchhost_plugin_http_method_response_status(benchhost_plugin_http_borrow_response(response));
  if (status >= 200 && status < 300) return true;
  struct text words = {0}, code = {0};
  add_body(&words, response, 200);
  benchhost_plugin_types_error_kind_t kind = status == 429 || status == 503 ? BENCHHOST_PLUGIN_TYPES_ERROR_KIND_THROTTLED
                                             : status >= 500 ? BENCHHOST_PLUGIN_TYPES_ERROR_KIND_UNAVAILABLE
                                                             : BENCHHOST_PLUGIN_TYPES_ERROR_KIND_REJECTED;
  failed(err, kind, words.at, words.length);
  text_add_formatted(&code, "%u", status);
  err->code.is_some = true;
  target_string_dup(&err->code.val, code.at);
  // The host sends the same payload again, after its own back-off where the server names no time.
  err->retryable = kind != BENCHHOST_PLUGIN_TYPES_ERROR_KIND_REJECTED;
  target_string_t name = shown("Retry-After"), wait;
  if (benchhost_plugin_http_method_response_header(benchhost_plugin_http_borrow_response(response), &name, &wait)) {
    err->retry_after_ms.is_some = retry_after_ms(wait.ptr, wait.len, &err->retry_after_ms.val);
    target_string_free(&wait);
  }
  text_free(&words);
  text_free(&code);
  benchhost_plugin_http_response_drop_own(response);
  return false;
}

// Sends a request without a body.
static bool ask(const char *method, const char *path, response *ret, error *err) {
  target_string_t how = shown(method), where = shown(path);
  benchhost_plugin_http_list_header_t none = {0};
  return benchhost_plugin_http_method_client_send(benchhost_plugin_http_borrow_client(session.client), &how, &where,
                                                  &none, NULL, ret, err) &&
         accepted(*ret, err);
}

// Sends an InfluxQL statement and adds the answer, or nothing where there is nothing of that name.
static bool query(const char *method, const struct text *statement, struct text *answer, error *err) {
  struct text path = {0};
  text_add(&path, "/query?db=");
  add_percent_encoded(&path, session.database.at, session.database.length);
  text_add(&path, "&epoch=ns&q=");
  add_percent_encoded(&path, statement->at, statement->length);
  response got;
  bool ok = ask(method, path.at, &got, err);
  text_free(&path);
  if (!ok) return false;
  text_add(answer, "");
  add_body(answer, got, UINT32_MAX);
  benchhost_plugin_http_response_drop_own(got);
  size_t length;
  const char *refusal = find_refusal(answer->at, &length);
  if (refusal == NULL) return true;
  // An error may come with status 200. That something is not there is none for those who remove it or count in it.
  if (strstr(refusal, "not found") != NULL) {
    text_free(answer);
    text_add(answer, "");
    return true;
  }
  return failed(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_REJECTED, refusal, length);
}

// Sends a statement about a name, and does not look at the answer.
static bool command(const char *words, const void *name, size_t length, error *err) {
  struct text statement = {0}, answer = {0};
  text_add(&statement, words);
  add_identifier(&statement, name, length);
  bool ok = check_open(err) && query("POST", &statement, &answer, err);
  text_free(&statement);
  text_free(&answer);
  return ok;
}

void exports_benchhost_plugin_about_describe(exports_benchhost_plugin_about_description_t *ret) {
  target_string_dup(&ret->name, "@NAME@");
  target_string_dup(&ret->version, "0.1.0");
  target_string_dup(&ret->summary, "Line protocol over HTTP, as InfluxDB 1 takes it");
  target_string_dup(&ret->settings_schema, SETTINGS);
}

bool exports_benchhost_plugin_session_open(exports_benchhost_plugin_session_list_setting_t *settings,
                                           uint32_t *maybe_worker, error *err) {
  (void)maybe_worker;
  struct text endpoint = {0}, path = {0};
  for (size_t i = 0; i < settings->len; i++) {
    target_string_t name = settings->ptr[i].name, value = settings->ptr[i].value;
    if (name.len == 8 && memcmp(name.ptr, "endpoint", 8) == 0) text_add_bytes(&endpoint, value.ptr, value.len);
    if (name.len == 8 && memcmp(name.ptr, "database", 8) == 0) text_add_bytes(&session.database, value.ptr, value.len);
  }
  exports_benchhost_plugin_session_list_setting_free(settings);
  text_add(&path, "/write?precision=ns&db=");
  add_percent_encoded(&path, session.database.at, session.database.length);
  target_string_t url = {(uint8_t *)endpoint.at, endpoint.length}, post = shown("POST"), where = shown(path.at);
  benchhost_plugin_http_list_header_t none = {0};
  bool connected = benchhost_plugin_http_static_client_connect(&url, &session.client, err);
  session.is_open = connected && benchhost_plugin_http_method_client_prepare(
                                     benchhost_plugin_http_borrow_client(session.client), &post, &where, &none,
                                     &session.write, err);
  if (connected && !session.is_open) benchhost_plugin_http_client_drop_own(session.client);
  if (session.is_open) {
    session.encoder = benchhost_plugin_encode_constructor_line_protocol(BENCHHOST_PLUGIN_ENCODE_TIME_UNIT_NANOSECOND);
  }
  text_free(&endpoint);
  text_free(&path);
  return session.is_open;
}

bool exports_benchhost_plugin_session_server(target_list_tuple2_string_string_t *ret, error *err) {
  response pong;
  if (!check_open(err) || !ask("GET", "/ping", &pong, err)) return false;
  ret->len = 2;
  ret->ptr = calloc(2, sizeof *ret->ptr);
  if (ret->ptr == NULL) abort();
  target_string_dup(&ret->ptr[0].f0, "product");
  target_string_dup(&ret->ptr[0].f1, "InfluxDB");
  target_string_dup(&ret->ptr[1].f0, "version");
  target_string_t name = shown("X-Influxdb-Version");
  if (!benchhost_plugin_http_method_response_header(benchhost_plugin_http_borrow_response(pong), &name,
                                                    &ret->ptr[1].f1)) {
    target_string_dup(&ret->ptr[1].f1, "unknown");
  }
  benchhost_plugin_http_response_drop_own(pong);
  return true;
}

bool exports_benchhost_plugin_session_create_table(benchhost_plugin_types_table_t *table, error *err) {
  // A measurement comes into being with its first row.
  exports_benchhost_plugin_session_table_free(table);
  return command("CREATE DATABASE ", session.database.at, session.database.length, err);
}

bool exports_benchhost_plugin_session_drop_table(benchhost_plugin_types_table_t *table, error *err) {
  bool ok = command("DROP MEASUREMENT ", table->name.ptr, table->name.len, err);
  exports_benchhost_plugin_session_table_free(table);
  return ok;
}

// Writes the statement that counts the rows of a table. False where no field has a value in every row, for `COUNT` counts values.
static bool count_statement(struct text *to, const benchhost_plugin_types_table_t *table, int64_t start, int64_t end) {
  for (size_t i = 0; i < table->columns.len; i++) {
    benchhost_plugin_types_column_t column = table->columns.ptr[i];
    if (column.semantic != BENCHHOST_PLUGIN_TYPES_SEMANTIC_FIELD || column.nullable) continue;
    text_add(to, "SELECT COUNT(");
    add_identifier(to, column.name.ptr, column.name.len);
    text_add(to, ") FROM ");
    add_identifier(to, table->name.ptr, table->name.len);
    text_add_formatted(to, " WHERE time >= %lld AND time < %lld", (long long)start, (long long)end);
    return true;
  }
  return false;
}

bool exports_benchhost_plugin_session_count_rows(benchhost_plugin_types_table_t *table, int64_t start_ns,
                                                 int64_t end_ns, uint64_t *ret, error *err) {
  struct text statement = {0}, answer = {0};
  bool ok = false;
  *ret = 0;
  if (!clamp_times(&start_ns, &end_ns)) {
    ok = true;
  } else if (!count_statement(&statement, table, start_ns, end_ns)) {
    failed_with(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_UNSUPPORTED,
                "rows cannot be counted: no field of the table has a value in every row");
  } else if (check_open(err) && query("GET", &statement, &answer, err)) {
    ok = find_count(answer.at, ret) || failed(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_INTERNAL, answer.at, answer.length);
  }
  text_free(&statement);
  text_free(&answer);
  exports_benchhost_plugin_session_table_free(table);
  return ok;
}

void exports_benchhost_plugin_session_close(void) {
  if (!session.is_open) return;
  session.is_open = false;
  benchhost_plugin_encode_line_protocol_drop_own(session.encoder);
  benchhost_plugin_http_request_drop_own(session.write);
  benchhost_plugin_http_client_drop_own(session.client);
  text_free(&session.database);
}

bool exports_benchhost_plugin_ingest_encode(benchhost_plugin_data_borrow_batch_t batch,
                                            benchhost_plugin_data_own_payload_t *ret, error *err) {
  return check_open(err) &&
         benchhost_plugin_encode_method_line_protocol_encode(
             benchhost_plugin_encode_borrow_line_protocol(session.encoder), batch, ret, err);
}

bool exports_benchhost_plugin_ingest_send(benchhost_plugin_data_borrow_payload_t payload,
                                          exports_benchhost_plugin_ingest_ack_t *ret, error *err) {
  // The server does not say how many rows it stored.
  *ret = (exports_benchhost_plugin_ingest_ack_t){0};
  benchhost_plugin_http_option_own_response_t got;
  if (!check_open(err) || !benchhost_plugin_http_method_request_send(
                              benchhost_plugin_http_borrow_request(session.write), payload, &got, err)) {
    return false;
  }
  // None is the usual answer to a write: 2xx without a body.
  if (got.is_some) {
    if (!accepted(got.val, err)) return false;
    benchhost_plugin_http_response_drop_own(got.val);
  }
  return true;
}
