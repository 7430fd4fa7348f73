// The columns of a batch, read from the host and told as text.

#ifndef COLUMNS_H
#define COLUMNS_H

#include "target.h"
#include "text.h"

// The values of one column. Which list holds them, the column's type says.
struct column {
  target_string_t name;
  benchhost_plugin_types_data_type_t type;
  // A tag: distinct texts in `texts`, and for each row in `keys` the number of one.
  bool is_tag;
  target_list_bool_t booleans;
  target_list_s64_t signed_integers;
  target_list_u64_t unsigned_integers;
  target_list_f64_t floats;
  target_list_string_t texts;
  target_list_u32_t keys;
  // Ascending positions of rows without a value, and how many of them lie behind.
  target_list_u32_t nulls;
  size_t nulls_passed;
};

// Whether there is a getter for values of that type.
bool column_is_readable(benchhost_plugin_types_data_type_t type);

// Reads column number `position` of a batch. `told` is what the table says of it, and must outlive it.
struct column column_read(benchhost_plugin_data_borrow_batch_t batch, uint32_t position,
                          const benchhost_plugin_types_column_t *told);

// Adds `name=value,`, or nothing where the row has no value. Rows in order, each once.
void column_add(struct column *column, size_t row, struct text *to);

void column_free(struct column *column);

#endif
