// A benchhost target for Redis, in C. The contract is in `wit/` at the root of the repository; `resp.c` has the protocol, `server.c` the
// conversation, `columns.c` the reading of rows.
//
// The host calls the functions that begin with `exports_`. One instance of this component is one session of one worker, so its state may
// lie in static variables: here it is all in `server.c`.
//
// Memory: what an exported function is given in lists and strings is its own to free, and what it gives must come from `malloc`, for
// the bindings free it. A handle that was lent (`borrow`) goes back by itself; one that is owned must be dropped.

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "resp.h"
#include "server.h"

static const char SETTINGS[] =
    "{\"type\": \"object\", \"properties\": {"
    "\"endpoint\": {\"type\": \"string\", \"description\": \"Address of the server: `tcp://host:port`.\"},"
    "\"password\": {\"type\": [\"string\", \"null\"], \"description\": \"Password of the server.\", \"writeOnly\": true}"
    "}, \"required\": [\"endpoint\"]}";

void exports_benchhost_plugin_about_describe(exports_benchhost_plugin_about_description_t *ret) {
  target_string_dup(&ret->name, "redis-c");
  target_string_dup(&ret->version, "0.1.0");
  target_string_dup(&ret->summary, "Redis sorted sets, written in C");
  target_string_dup(&ret->settings_schema, SETTINGS);
}

bool exports_benchhost_plugin_session_open(exports_benchhost_plugin_session_list_setting_t *settings,
                                           uint32_t *maybe_worker, error *err) {
  (void)maybe_worker;
  (void)err;  // Nothing is sent before it is needed, so nothing can go wrong.
  for (size_t i = 0; i < settings->len; i++) {
    target_string_t name = settings->ptr[i].name, value = settings->ptr[i].value;
    if (name.len == 8 && memcmp(name.ptr, "endpoint", 8) == 0) server_set_endpoint(value.ptr, value.len);
    if (name.len == 8 && memcmp(name.ptr, "password", 8) == 0) {
      server_set_password(value.ptr, value.len);
    }
  }
  exports_benchhost_plugin_session_list_setting_free(settings);
  return true;
}

// One fact of INFO, whose lines are `name:value`.
static void set_fact(target_tuple2_string_string_t *fact, const char *name, const struct text *info, const char *key) {
  target_string_dup(&fact->f0, name);
  const char *at = info->at == NULL ? NULL : strstr(info->at, key);
  if (at == NULL) {
    target_string_dup(&fact->f1, "unknown");
  } else {
    at += strlen(key);
    target_string_dup_n(&fact->f1, at, strcspn(at, "\r\n"));
  }
}

bool exports_benchhost_plugin_session_server(target_list_tuple2_string_string_t *ret, error *err) {
  struct text request = {0}, info = {0};
  add_command(&request, 2);
  add_part(&request, "INFO", 4);
  add_part(&request, "server", 6);
  if (!server_ask(&request, NULL, &info, err)) return false;
  ret->len = 3;
  ret->ptr = calloc(3, sizeof *ret->ptr);
  if (ret->ptr == NULL) abort();
  target_string_dup(&ret->ptr[0].f0, "product");
  target_string_dup(&ret->ptr[0].f1, "Redis");
  set_fact(&ret->ptr[1], "version", &info, "\nredis_version:");
  set_fact(&ret->ptr[2], "mode", &info, "\nredis_mode:");
  text_free(&info);
  return true;
}

bool exports_benchhost_plugin_session_create_table(benchhost_plugin_types_table_t *table, error *err) {
  bool ok = true;
  for (size_t i = 0; ok && i < table->columns.len; i++) {
    benchhost_plugin_types_column_t column = table->columns.ptr[i];
    if (column.semantic == BENCHHOST_PLUGIN_TYPES_SEMANTIC_TIMESTAMP || column_is_readable(column.data_type)) continue;
    struct text message = {0};
    text_add(&message, "no text for the values of column ");
    text_add_bytes(&message, column.name.ptr, column.name.len);
    ok = failed_with(err, KIND(UNSUPPORTED), &message);
    text_free(&message);
  }
  exports_benchhost_plugin_session_table_free(table);
  if (!ok) return false;
  // A sorted set comes into being with its first member.
  struct text request = {0};
  add_command(&request, 1);
  add_part(&request, "PING", 4);
  return server_ask(&request, NULL, NULL, err);
}

bool exports_benchhost_plugin_session_drop_table(benchhost_plugin_types_table_t *table, error *err) {
  struct text request = {0};
  add_command(&request, 2);
  add_part(&request, "DEL", 3);
  add_part(&request, table->name.ptr, table->name.len);
  exports_benchhost_plugin_session_table_free(table);
  return server_ask(&request, NULL, NULL, err);
}

bool exports_benchhost_plugin_session_count_rows(benchhost_plugin_types_table_t *table, int64_t start_ns,
                                                 int64_t end_ns, uint64_t *ret, error *err) {
  struct text request = {0}, start = {0}, end = {0};
  int64_t count = -1;
  text_add_formatted(&start, "%lld", (long long)ceiling_ms(start_ns));
  text_add_formatted(&end, "(%lld", (long long)ceiling_ms(end_ns));
  add_command(&request, 4);
  add_part(&request, "ZCOUNT", 6);
  add_part(&request, table->name.ptr, table->name.len);
  add_part(&request, start.at, start.length);
  add_part(&request, end.at, end.length);
  text_free(&start);
  text_free(&end);
  exports_benchhost_plugin_session_table_free(table);
  if (!server_ask(&request, &count, NULL, err)) return false;
  *ret = (uint64_t)count;
  return count >= 0 || strange(err, "no number for ZCOUNT", 20);
}

void exports_benchhost_plugin_session_close(void) {
  server_close();
}

// How many of a timestamp's unit make a millisecond; 0 for seconds.
static int64_t per_millisecond(benchhost_plugin_types_data_type_t unit) {
  switch (unit) {
    case BENCHHOST_PLUGIN_TYPES_DATA_TYPE_TIMESTAMP_SECOND: return 0;
    case BENCHHOST_PLUGIN_TYPES_DATA_TYPE_TIMESTAMP_MICROSECOND: return 1000;
    case BENCHHOST_PLUGIN_TYPES_DATA_TYPE_TIMESTAMP_NANOSECOND: return 1000000;
    default: return 1;
  }
}

// Brings the rows' times to whole milliseconds.
static bool to_milliseconds(target_list_s64_t *times, int64_t per, error *err) {
  for (size_t row = 0; row < times->len; row++) {
    int64_t time = times->ptr[row];
    if (whole_ms(time, per, &times->ptr[row])) continue;
    struct text message = {0};
    text_add_formatted(&message, "the time %lld is no whole millisecond, and a sorted set cannot keep it: "
                       "choose a dataset with coarser times", (long long)time);
    failed_with(err, KIND(INVALID), &message);
    text_free(&message);
    return false;
  }
  return true;
}

// The one command that stores a batch.
static void add_rows(struct text *to, target_string_t key, const target_list_s64_t *times, struct column *columns,
                     size_t count) {
  struct text score = {0}, member = {0};
  add_command(to, 2 + 2 * times->len);
  add_part(to, "ZADD", 4);
  add_part(to, key.ptr, key.len);
  for (size_t row = 0; row < times->len; row++) {
    score.length = member.length = 0;
    text_add_formatted(&score, "%lld", (long long)times->ptr[row]);
    for (size_t i = 0; i < count; i++) column_add(&columns[i], row, &member);
    text_add(&member, "t=");
    text_add_bytes(&member, score.at, score.length);
    add_part(to, score.at, score.length);
    add_part(to, member.at, member.length);
  }
  text_free(&score);
  text_free(&member);
}

bool exports_benchhost_plugin_ingest_encode(benchhost_plugin_data_borrow_batch_t batch,
                                            benchhost_plugin_data_own_payload_t *ret, error *err) {
  benchhost_plugin_types_table_t table;
  target_list_s64_t times;
  benchhost_plugin_data_method_batch_table(batch, &table);
  benchhost_plugin_data_method_batch_timestamps(batch, &times);
  struct column *columns = calloc(table.columns.len, sizeof *columns);
  if (columns == NULL) abort();
  size_t count = 0;
  int64_t per = 1;
  for (uint32_t i = 0; i < table.columns.len; i++) {
    benchhost_plugin_types_column_t *column = &table.columns.ptr[i];
    if (column->semantic == BENCHHOST_PLUGIN_TYPES_SEMANTIC_TIMESTAMP) {
      per = per_millisecond(column->data_type);
    } else {
      columns[count++] = column_read(batch, i, column);
    }
  }
  bool ok = to_milliseconds(&times, per, err);
  if (ok) {
    struct text command = {0};
    if (times.len > 0) add_rows(&command, table.name, &times, columns, count);
    target_list_u8_t bytes = {(uint8_t *)command.at, command.length};
    *ret = benchhost_plugin_data_static_payload_from_bytes(&bytes, (uint32_t)times.len);
    text_free(&command);
  }
  for (size_t i = 0; i < count; i++) column_free(&columns[i]);
  free(columns);
  if (times.len > 0) free(times.ptr);
  exports_benchhost_plugin_session_table_free(&table);
  return ok;
}

bool exports_benchhost_plugin_ingest_send(benchhost_plugin_data_borrow_payload_t payload,
                                          exports_benchhost_plugin_ingest_ack_t *ret, error *err) {
  // The number that comes back counts new members only, which says nothing of a payload that is sent again.
  *ret = (exports_benchhost_plugin_ingest_ack_t){0};
  if (benchhost_plugin_data_method_payload_size(payload) == 0) return true;
  return server_send(payload, err);
}
