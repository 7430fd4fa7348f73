#include "columns.h"

#include <stdlib.h>

#include "resp.h"

#define TYPE(name) BENCHHOST_PLUGIN_TYPES_DATA_TYPE_##name

static bool is_signed(benchhost_plugin_types_data_type_t type) {
  return type == TYPE(INT8) || type == TYPE(INT16) || type == TYPE(INT32) || type == TYPE(INT64);
}

static bool is_unsigned(benchhost_plugin_types_data_type_t type) {
  return type == TYPE(UINT8) || type == TYPE(UINT16) || type == TYPE(UINT32) || type == TYPE(UINT64);
}

static bool is_float(benchhost_plugin_types_data_type_t type) {
  return type == TYPE(FLOAT32) || type == TYPE(FLOAT64);
}

bool column_is_readable(benchhost_plugin_types_data_type_t type) {
  return is_signed(type) || is_unsigned(type) || is_float(type) || type == TYPE(BOOLEAN) || type == TYPE(UTF8);
}

struct column column_read(benchhost_plugin_data_borrow_batch_t batch, uint32_t position,
                          const benchhost_plugin_types_column_t *told) {
  struct column column = {.name = told->name, .type = told->data_type};
  if (told->semantic == BENCHHOST_PLUGIN_TYPES_SEMANTIC_TAG) {
    // The cheapest way to get text.
    column.is_tag = true;
    benchhost_plugin_data_method_batch_dictionary(batch, position, &column.texts);
    benchhost_plugin_data_method_batch_keys(batch, position, &column.keys);
  } else if (column.type == TYPE(UTF8)) {
    benchhost_plugin_data_method_batch_strings(batch, position, &column.texts);
  } else if (column.type == TYPE(BOOLEAN)) {
    benchhost_plugin_data_method_batch_booleans(batch, position, &column.booleans);
  } else if (is_signed(column.type)) {
    benchhost_plugin_data_method_batch_int64s(batch, position, &column.signed_integers);
  } else if (is_unsigned(column.type)) {
    benchhost_plugin_data_method_batch_uint64s(batch, position, &column.unsigned_integers);
  } else {
    benchhost_plugin_data_method_batch_float64s(batch, position, &column.floats);
  }
  if (told->nullable) benchhost_plugin_data_method_batch_nulls(batch, position, &column.nulls);
  return column;
}

void column_add(struct column *column, size_t row, struct text *to) {
  if (column->nulls_passed < column->nulls.len && column->nulls.ptr[column->nulls_passed] == row) {
    column->nulls_passed++;
    return;
  }
  text_add_bytes(to, column->name.ptr, column->name.len);
  text_add(to, "=");
  if (column->is_tag || column->type == TYPE(UTF8)) {
    target_string_t text = column->texts.ptr[column->is_tag ? column->keys.ptr[row] : row];
    text_add_bytes(to, text.ptr, text.len);
  } else if (column->type == TYPE(BOOLEAN)) {
    text_add(to, column->booleans.ptr[row] ? "true" : "false");
  } else if (is_signed(column->type)) {
    text_add_formatted(to, "%lld", (long long)column->signed_integers.ptr[row]);
  } else if (is_unsigned(column->type)) {
    text_add_formatted(to, "%llu", (unsigned long long)column->unsigned_integers.ptr[row]);
  } else {
    add_float(to, column->floats.ptr[row]);
  }
  text_add(to, ",");
}

void column_free(struct column *column) {
  if (column->booleans.len > 0) free(column->booleans.ptr);
  if (column->signed_integers.len > 0) free(column->signed_integers.ptr);
  if (column->unsigned_integers.len > 0) free(column->unsigned_integers.ptr);
  if (column->floats.len > 0) free(column->floats.ptr);
  if (column->keys.len > 0) free(column->keys.ptr);
  if (column->nulls.len > 0) free(column->nulls.ptr);
  target_list_string_free(&column->texts);
}
