#include "server.h"

#include "resp.h"

// The longest line that a reply begins with.
enum { LINE = 64 * 1024 };

static struct {
  struct text endpoint, password;
  bool has_password;
  bool is_connected;
  benchhost_plugin_tcp_own_connection_t connection;
} session;

// Sets a string to words of the server, whatever bytes it chose.
static void set_foreign(target_string_t *to, const char *bytes, size_t length) {
  struct text words = {0};
  text_add_foreign(&words, bytes, length);
  target_string_dup_n(to, words.at, words.length);
  text_free(&words);
}

bool failed(error *err, benchhost_plugin_types_error_kind_t kind, const char *message, size_t length) {
  *err = (error){.kind = kind};
  set_foreign(&err->message, message, length);
  return false;
}

bool failed_with(error *err, benchhost_plugin_types_error_kind_t kind, const struct text *message) {
  return failed(err, kind, message->at, message->length);
}

bool strange(error *err, const void *answer, size_t length) {
  struct text words = {0};
  text_add(&words, "the server answered with what is no reply of Redis: ");
  text_add_bytes(&words, answer, length < 100 ? length : 100);
  failed_with(err, KIND(INTERNAL), &words);
  text_free(&words);
  return false;
}

void server_set_endpoint(const void *bytes, size_t length) {
  text_add_bytes(&session.endpoint, bytes, length);
}

void server_set_password(const void *bytes, size_t length) {
  session.has_password = true;
  text_add_bytes(&session.password, bytes, length);
}

static benchhost_plugin_tcp_borrow_connection_t connection(void) {
  return benchhost_plugin_tcp_borrow_connection(session.connection);
}

static void disconnect(void) {
  if (session.is_connected) benchhost_plugin_tcp_connection_drop_own(session.connection);
  session.is_connected = false;
}

// Reads a reply: its number into `number`, or its text into `text`. NULL where neither is wanted.
static bool read_reply(int64_t *number, struct text *text, error *err) {
  uint8_t end[] = "\r\n";
  target_list_u8_t delimiter = {end, 2}, line, body;
  if (!benchhost_plugin_tcp_method_connection_read_until(connection(), &delimiter, LINE, &line, err)) return false;
  struct reply reply = parse_reply(line.ptr, line.len);
  bool ok = true;
  switch (reply.kind) {
    case REPLY_ERROR:
    case REPLY_BUSY:
      ok = failed(err, reply.kind == REPLY_BUSY ? KIND(THROTTLED) : KIND(REJECTED), reply.words, reply.words_length);
      err->code.is_some = true;
      set_foreign(&err->code.val, reply.words, reply.code_length);
      err->retryable = reply.kind == REPLY_BUSY;
      break;
    case REPLY_NUMBER:
      if (number != NULL) *number = reply.number;
      break;
    case REPLY_BULK:
      if (reply.number < 0) break;
      // The text is followed by the end of a line. One that is too long for the host is refused there.
      ok = benchhost_plugin_tcp_method_connection_read_exact(
          connection(), reply.number > UINT32_MAX - 2 ? UINT32_MAX : (uint32_t)reply.number + 2, &body, err);
      if (!ok) break;
      if (text != NULL) text_add_foreign(text, body.ptr, body.len - 2);
      target_list_u8_free(&body);
      break;
    case REPLY_TEXT:
      break;
    case REPLY_STRANGE:
      ok = strange(err, line.ptr, line.len);
      break;
  }
  target_list_u8_free(&line);
  return ok;
}

static bool write_text(struct text *request, error *err) {
  target_list_u8_t bytes = {(uint8_t *)request->at, request->length};
  return benchhost_plugin_tcp_method_connection_write(connection(), &bytes, err);
}

static bool connected(error *err) {
  if (session.is_connected) return true;
  target_string_t endpoint = {(uint8_t *)session.endpoint.at, session.endpoint.length};
  session.is_connected = benchhost_plugin_tcp_static_connection_connect(&endpoint, &session.connection, err);
  if (!session.is_connected || !session.has_password) return session.is_connected;
  struct text request = {0};
  add_command(&request, 2);
  add_part(&request, "AUTH", 4);
  add_part(&request, session.password.at, session.password.length);
  bool ok = write_text(&request, err) && read_reply(NULL, NULL, err);
  text_free(&request);
  if (!ok) disconnect();
  return ok;
}

// Ends the connection after an error of the network and after a reply that was none: what would come next on it is not known. An error
// that the server tells leaves it as it is.
static bool settled(bool ok, const error *err) {
  if (!ok && err->kind != KIND(REJECTED) && err->kind != KIND(THROTTLED)) disconnect();
  return ok;
}

bool server_ask(struct text *request, int64_t *number, struct text *text, error *err) {
  bool ok = connected(err) && settled(write_text(request, err) && read_reply(number, text, err), err);
  text_free(request);
  return ok;
}

bool server_send(benchhost_plugin_data_borrow_payload_t payload, error *err) {
  return connected(err) && settled(benchhost_plugin_tcp_method_connection_write_payload(connection(), payload, err) &&
                                       read_reply(NULL, NULL, err),
                                   err);
}

void server_close(void) {
  disconnect();
  text_free(&session.endpoint);
  text_free(&session.password);
}
