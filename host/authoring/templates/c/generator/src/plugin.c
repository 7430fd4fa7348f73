// A dataset of benchhost: readings of some hosts, one a second each, without an end.
//
// The host calls the functions that begin with `exports_`, which are the exports of the world `generator` in `wit/`. Every value is a
// function of the seed and the row's position alone, so any instance may make any rows in any order, and they are the same every time.
//
// Memory: what an exported function is given in lists and strings is its own to free, and what it gives must come from `malloc`, for
// the bindings free it. A handle that was lent (`borrow`) goes back by itself; one that is owned must be dropped.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "rows.h"

typedef benchhost_plugin_types_error_t error;

// The most hosts. The schema says the same.
#define MOST_HOSTS 1000000

// What a user can set with `-P name=value`, as a JSON Schema. The host checks it and fills in the defaults.
static const char SETTINGS[] =
    "{\"type\": \"object\", \"properties\": {"
    "\"hosts\": {\"type\": \"integer\", \"description\": \"How many hosts report.\", \"default\": 10,"
    " \"minimum\": 1, \"maximum\": 1000000}"
    "}}";

// The one table. A column is named by its position in it.
enum { HOST, VALUE, COUNT, TIME, COLUMNS };

static const struct {
  const char *name;
  benchhost_plugin_types_semantic_t semantic;
  benchhost_plugin_types_data_type_t type;
  bool nullable;
} TABLE[COLUMNS] = {
    [HOST] = {"host", BENCHHOST_PLUGIN_TYPES_SEMANTIC_TAG, BENCHHOST_PLUGIN_TYPES_DATA_TYPE_UTF8, false},
    [VALUE] = {"value", BENCHHOST_PLUGIN_TYPES_SEMANTIC_FIELD, BENCHHOST_PLUGIN_TYPES_DATA_TYPE_FLOAT64, false},
    [COUNT] = {"count", BENCHHOST_PLUGIN_TYPES_SEMANTIC_FIELD, BENCHHOST_PLUGIN_TYPES_DATA_TYPE_INT64, true},
    [TIME] = {"ts", BENCHHOST_PLUGIN_TYPES_SEMANTIC_TIMESTAMP,
              BENCHHOST_PLUGIN_TYPES_DATA_TYPE_TIMESTAMP_MILLISECOND, false},
};

static struct {
  bool is_open;
  struct readings readings;
  // The hosts' names. Made once: a batch holds numbers that point into it.
  benchhost_plugin_data_own_dictionary_t names;
} dataset;

// Fills in an error, for which trying again is of no use here. Gives false, so that it can be returned at once.
static bool failed(error *err, benchhost_plugin_types_error_kind_t kind, const char *message) {
  *err = (error){.kind = kind};
  generator_string_dup(&err->message, message);
  return false;
}

// Room for `count` values. The host tells of it when there is none, drops this instance and goes on with a new one.
static void *room(size_t count, size_t size) {
  void *at = calloc(count > 0 ? count : 1, size);
  if (at == NULL) abort();
  return at;
}

void exports_benchhost_plugin_about_describe(exports_benchhost_plugin_about_description_t *ret) {
  generator_string_dup(&ret->name, "@NAME@");
  generator_string_dup(&ret->version, "0.1.0");
  generator_string_dup(&ret->summary, "Readings of hosts, one a second each");
  generator_string_dup(&ret->settings_schema, SETTINGS);
}

// Makes the names and gives them to the host.
static benchhost_plugin_data_own_dictionary_t host_names(uint32_t hosts) {
  generator_list_string_t names = {room(hosts, sizeof *names.ptr), hosts};
  for (uint32_t host = 0; host < hosts; host++) {
    char name[32];
    snprintf(name, sizeof name, "host_%u", (unsigned)host);
    generator_string_dup(&names.ptr[host], name);
  }
  benchhost_plugin_data_own_dictionary_t made = benchhost_plugin_data_constructor_dictionary(&names);
  generator_list_string_free(&names);
  return made;
}

bool exports_benchhost_plugin_dataset_open(exports_benchhost_plugin_dataset_list_setting_t *settings, uint64_t seed,
                                           exports_benchhost_plugin_dataset_facts_t *ret, error *err) {
  dataset.readings = (struct readings){.seed = seed};
  bool found = false;
  for (size_t i = 0; i < settings->len; i++) {
    generator_string_t name = settings->ptr[i].name, value = settings->ptr[i].value;
    if (name.len == 5 && memcmp(name.ptr, "hosts", 5) == 0) {
      found = read_hosts(value.ptr, value.len, MOST_HOSTS, &dataset.readings.hosts);
    }
  }
  exports_benchhost_plugin_dataset_list_setting_free(settings);
  if (!found) {
    return failed(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_INVALID, "`hosts` is missing, or not from 1 to 1000000");
  }
  dataset.names = host_names(dataset.readings.hosts);
  dataset.is_open = true;

  *ret = (exports_benchhost_plugin_dataset_facts_t){.series = dataset.readings.hosts, .seekable = true};
  ret->tables.len = 1;
  ret->tables.ptr = room(1, sizeof *ret->tables.ptr);
  generator_string_dup(&ret->tables.ptr->name, "@NAME@");
  ret->tables.ptr->columns.len = COLUMNS;
  ret->tables.ptr->columns.ptr = room(COLUMNS, sizeof *ret->tables.ptr->columns.ptr);
  for (size_t i = 0; i < COLUMNS; i++) {
    benchhost_plugin_types_column_t *column = &ret->tables.ptr->columns.ptr[i];
    generator_string_dup(&column->name, TABLE[i].name);
    column->semantic = TABLE[i].semantic;
    column->data_type = TABLE[i].type;
    column->nullable = TABLE[i].nullable;
  }
  return true;
}

bool exports_benchhost_plugin_dataset_fill(uint32_t table, uint64_t first_row, uint32_t rows,
                                           benchhost_plugin_data_borrow_batch_builder_t into, error *err) {
  (void)table;  // There is one only.
  struct readings of = dataset.readings;
  uint64_t end;
  int64_t past;
  if (!dataset.is_open) {
    return failed(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_INTERNAL, "the dataset is not open");
  }
  if (__builtin_add_overflow(first_row, rows, &end) || !row_time(of, end, &past)) {
    return failed(err, BENCHHOST_PLUGIN_TYPES_ERROR_KIND_INVALID, "these rows lie past the end of time");
  }

  generator_list_u32_t keys = {room(rows, sizeof *keys.ptr), rows};
  generator_list_s64_t times = {room(rows, sizeof *times.ptr), rows};
  generator_list_f64_t values = {room(rows, sizeof *values.ptr), rows};
  generator_list_s64_t counts = {room(rows, sizeof *counts.ptr), rows};
  generator_list_u32_t nulls = {room(rows, sizeof *nulls.ptr), 0};
  for (uint32_t i = 0; i < rows; i++) {
    uint64_t row = first_row + i;
    keys.ptr[i] = row_host(of, row);
    row_time(of, row, &times.ptr[i]);
    values.ptr[i] = row_value(of, row);
    // A column is appended whole, with any value where there is none, and the rows that have none are named.
    if (!row_count(of, row, &counts.ptr[i])) nulls.ptr[nulls.len++] = i;
  }
  benchhost_plugin_data_method_batch_builder_append_timestamps(into, &times);
  benchhost_plugin_data_method_batch_builder_append_keys(into, HOST,
                                                         benchhost_plugin_data_borrow_dictionary(dataset.names), &keys);
  benchhost_plugin_data_method_batch_builder_append_float64s(into, VALUE, &values);
  benchhost_plugin_data_method_batch_builder_append_int64s(into, COUNT, &counts);
  benchhost_plugin_data_method_batch_builder_mark_nulls(into, COUNT, &nulls);
  free(keys.ptr);
  free(times.ptr);
  free(values.ptr);
  free(counts.ptr);
  free(nulls.ptr);
  return true;
}
