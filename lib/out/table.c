// SPDX-License-Identifier: MIT
/* One column table per kind of object, used for text rows, -o and JSON. */
#include "out/table.h"

#include "base/memory.h"

static bool is_end(const struct out_col *col)
{
	return !col->name && !col->key;
}

static const struct out_col *next_of(const struct out_col *col)
{
	col++;
	return is_end(col) && col->more ? col->more : col;
}

/* ---- one value ---- */

/* Copied as bytes, because uint64_t and __u64 are not always the same type. */
static inline uint64_t number_at(const void *value, size_t size)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	switch (size) {
	case 1: return *(const uint8_t *)value;
	case 2: return memcpy(&half, value, sizeof(half)), half;
	case 4: return memcpy(&word, value, sizeof(word)), word;
	default: return memcpy(&wide, value, sizeof(wide)), wide;
	}
}

static inline const char *string_at(const struct out_col *col, const void *value)
{
	return col->kind == OUT_KIND_PTR ? *(const char *const *)value : value;
}

static inline size_t room_of(const struct out_col *col)
{
	return col->size ? col->size : SIZE_MAX;
}

static bool is_empty(const struct out_col *col, const void *value)
{
	if (col->kind == OUT_KIND_STR || col->kind == OUT_KIND_PTR) {
		const char *str = string_at(col, value);

		return !str || !*str;
	}
	return !number_at(value, col->size);
}

static inline const void *value_of(const struct out_col *col, const void *object)
{
	const char *start = col->find ? col->find(object) : object;

	if (!start || (col->bit && !(*(const uint32_t *)(start + col->has) & col->bit)))
		return NULL;
	start += col->offset;
	return col->is_optional && is_empty(col, start) ? NULL : start;
}

/* Return: NULL for a value without a name. */
static const struct out_name *name_of(const struct out_col *col, uint64_t number)
{
	const struct out_names *names = col->names;

	if (col->kind == OUT_KIND_FLAG)
		number = !!number;
	return number < names->count && names->names[number].text ? &names->names[number] : NULL;
}

static void append_name(struct out_text *text, const struct out_col *col, uint64_t number)
{
	const struct out_name *name = name_of(col, number);

	if (name) {
		out_str(text, name->text);
	} else if (!col->names->before) {
		out_dec(text, number, col->digits);
	} else {
		out_str(text, col->names->before);
		out_hex(text, number, col->digits);
		out_str(text, col->names->after);
	}
}

static inline __attribute__((always_inline)) void
append_value(struct out_text *text, const struct out_col *col, const void *value)
{
	switch (col->kind) {
	case OUT_KIND_ODD:
	case OUT_KIND_TEXT: break;
	case OUT_KIND_DEC:
	case OUT_KIND_DEC_STR: out_dec(text, number_at(value, col->size), col->digits); break;
	case OUT_KIND_BYTES:
		out_dec(text, number_at(value, col->size), 0);
		out_str(text, " B");
		break;
	case OUT_KIND_HEX:
	case OUT_KIND_HEX_STR:
	case OUT_KIND_HEX_0X: out_hex(text, number_at(value, col->size), col->digits); break;
	case OUT_KIND_STR:
	case OUT_KIND_PTR: out_escaped(text, string_at(col, value), room_of(col)); break;
	case OUT_KIND_FLAG:
	case OUT_KIND_NAME: append_name(text, col, number_at(value, col->size)); break;
	}
}

static inline __attribute__((always_inline)) void
append_cell(struct out_text *text, const struct out_col *col, const void *object)
{
	const void *value = value_of(col, object);

	if (value && col->text)
		col->text(text, value);
	else if (value)
		append_value(text, col, value);
	else if (col->none)
		out_str(text, col->none);
}

enum out_style out_read(struct out_text *text, const struct out_col *col, const void *object)
{
	const void *value = value_of(col, object);

	if (value && col->read)
		col->read(text, value);
	else if (value && !col->text &&
		 (col->kind == OUT_KIND_DEC || col->kind == OUT_KIND_DEC_STR))
		out_dec(text, number_at(value, col->size), 0);
	else
		append_cell(text, col, object);
	return value && col->style ? col->style(value) : OUT_PLAIN;
}

void out_as_is(struct out_text *text, const void *value)
{
	out_str(text, *(const char *const *)value);
}

void out_cell(struct out_text *text, const struct out_col *col, const void *object)
{
	append_cell(text, col, object);
}

static json_t *json_of_text(const struct out_col *col, const void *value)
{
	struct out_text text AUTO(out_free) = { 0 };
	json_t *json = NULL;

	if (col->kind == OUT_KIND_HEX_0X)
		out_str(&text, "0x");
	if (col->text)
		col->text(&text, value);
	else
		append_value(&text, col, value);
	if (text.len)
		json = json_stringn(text.data, text.len);
	return json;
}

json_t *out_json_number(uint64_t value)
{
	char digits[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	return json_string(digits);
}

static json_t *json_of_name(const struct out_col *col, uint64_t number)
{
	const struct out_name *name = name_of(col, number);

	if (name && name->json)
		return json_string(name->json);
	return col->kind == OUT_KIND_FLAG ? json_boolean(number) : out_json_number(number);
}

static json_t *json_of(const struct out_col *col, const void *object)
{
	const void *value = value_of(col, object);

	if (!value)
		return NULL;
	if (col->json)
		return col->json(value);
	switch (col->kind) {
	case OUT_KIND_ODD: return NULL;
	case OUT_KIND_TEXT:
	case OUT_KIND_DEC_STR:
	case OUT_KIND_HEX_STR:
	case OUT_KIND_HEX_0X: return json_of_text(col, value);
	case OUT_KIND_STR:
	case OUT_KIND_PTR: return out_json_string(string_at(col, value), room_of(col));
	case OUT_KIND_FLAG:
	case OUT_KIND_NAME: return json_of_name(col, number_at(value, col->size));
	default: return out_json_number(number_at(value, col->size));
	}
}

/* ---- column selection ---- */

void out_col_names(struct out_text *text, const struct out_col *table)
{
	size_t line = text->len;

	for (; !is_end(table); table = next_of(table)) {
		if (!table->name)
			continue;
		if (text->len > line && text->len - line + 1 + strlen(table->name) > 79) {
			out_char(text, '\n');
			line = text->len;
		}
		out_str(text, text->len == line ? "  " : " ");
		out_str(text, table->name);
	}
	out_char(text, '\n');
}

static const struct out_col *find(const struct out_col *table, const char *name, size_t len)
{
	for (; !is_end(table); table = next_of(table))
		if (table->name && !strncmp(table->name, name, len) && !table->name[len])
			return table;
	return NULL;
}

const char *out_view_add(struct out_view *view, const struct out_col *table, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, ",");
		const struct out_col *col = find(table, names, len);

		if (!col || view->count == OUT_MAX_COLS)
			return names;
		view->widths[view->count] = col->width;
		view->ranks[view->count] = col->rank;
		view->cols[view->count++] = col;
		names += len;
		if (*names == ',' && !*++names)
			return names - 1;
	}
	return NULL;
}

void out_view_rank(struct out_view *view, const char *name, uint8_t rank)
{
	for (size_t i = 0; i < view->count; i++)
		if (!strcmp(view->cols[i]->name, name))
			view->ranks[i] = rank;
}

void out_view_widen(struct out_view *view, const char *name, uint8_t width)
{
	for (size_t i = 0; i < view->count; i++)
		if (!strcmp(view->cols[i]->name, name) && view->widths[i] < width)
			view->widths[i] = width;
}

/* Pad the text since @start to the column's width, and add the gap. Return: the padding's start. */
static inline __attribute__((always_inline)) size_t
pad(struct out_text *text, const struct out_view *view, size_t i, size_t start)
{
	size_t end = text->len, len = end - start, missing = 0;

	if (len < view->widths[i])
		missing = view->widths[i] - len;
	out_blanks(text, missing + 1U + view->cols[i]->gap);
	if (!missing || !view->cols[i]->is_right)
		return end;
	memmove(text->data + start + missing, text->data + start, len);
	memset(text->data + start, ' ', missing);
	return end + missing;
}

/* @end: end of the last cell, which may end with blanks itself */
static void end_line(struct out_text *text, size_t start, size_t end)
{
	text->len = end;
	while (text->len > start && text->data[text->len - 1] == ' ')
		text->len--;
	out_char(text, '\n');
}

void out_fit(struct out_view *view, const void *objects, size_t count, size_t size)
{
	struct out_text cell AUTO(out_free) = { 0 };

	for (size_t c = 0; c < view->count; c++)
		for (size_t i = 0; i < count; i++, out_reset(&cell)) {
			out_cell(&cell, view->cols[c], (const char *)objects + i * size);
			if (cell.len > view->widths[c] && cell.len <= UINT8_MAX)
				view->widths[c] = (uint8_t)cell.len;
		}
}

void out_header(struct out_text *text, const struct out_view *view)
{
	size_t line = text->len, end = line;

	for (size_t i = 0; i < view->count; i++) {
		size_t start = text->len;

		out_str(text, view->cols[i]->head);
		end = pad(text, view, i, start);
	}
	end_line(text, line, end);
}

/* Return: the end of the inserted string. */
static size_t insert(struct out_text *text, size_t at, const char *str)
{
	size_t len = strlen(str);

	out_str(text, str);
	memmove(text->data + at + len, text->data + at, text->len - len - at);
	memcpy(text->data + at, str, len);
	return at + len;
}

/* Add style sequences to the cell from @start to @end. Return: its new end. */
static size_t paint(struct out_text *text, const struct out_col *col, const void *object,
		    size_t start, size_t end)
{
	const void *value = col->style ? value_of(col, object) : NULL;
	const char *sequence = value ? out_sequence(col->style(value)) : NULL;

	if (!sequence)
		return end;
	end += insert(text, start, sequence) - start;
	return insert(text, end, OUT_SEQUENCE_END);
}

void out_row(struct out_text *text, const struct out_view *view, const void *object)
{
	size_t line = text->len, end = line;

	for (size_t i = 0; i < view->count; i++) {
		size_t start = text->len, len;

		append_cell(text, view->cols[i], object);
		len = text->len - start;
		/* If all later cells are empty, too, the line ends before this one. */
		if (!len) {
			out_char(text, '-');
			pad(text, view, i, start);
			continue;
		}
		end = pad(text, view, i, start);
		if (view->is_colored)
			end = paint(text, view->cols[i], object, end - len, end);
	}
	end_line(text, line, end);
}

const char *out_sequence(enum out_style style)
{
	switch (style) {
	case OUT_PLAIN: break;
	case OUT_GOOD: return "\033[32m";
	case OUT_WARNING: return "\033[33m";
	case OUT_BAD: return "\033[1;31m";
	case OUT_MINOR: return "\033[2m";
	case OUT_STRONG: return "\033[1m";
	}
	return NULL;
}

static void *allocate(size_t size)
{
	return xrealloc(NULL, size, 1);
}

/* Affects jansson in the whole tool: out of memory, it would leave members out of documents. */
static void __attribute__((constructor)) set_allocation(void)
{
	json_set_alloc_funcs(allocate, free);
}

void out_json_merge(json_t *object, json_t *more)
{
	json_object_update(object, more);
	json_decref(more);
}

json_t *out_json_inside(json_t *object, const char *key)
{
	json_t *inner = json_object_get(object, key);

	if (!inner) {
		inner = json_object();
		json_object_set_new(object, key, inner);
	}
	return inner;
}

static void set(json_t *json, const struct out_col *col, const void *object)
{
	json_t *value = col->key ? json_of(col, object) : NULL;

	if (value)
		json_object_set_new(col->group ? out_json_inside(json, col->group) : json, col->key,
				    value);
}

/* A chosen column includes its whole value: its own key, or the whole group it belongs to. */
static void set_chosen(json_t *json, const struct out_col *table, const struct out_col *col,
		       const void *object)
{
	const struct out_col *keyed = col;

	for (; col->group && !is_end(table); table = next_of(table))
		if (table->group && !strcmp(table->group, col->group))
			set(json, table, object);
	if (col->group)
		return;
	while (!keyed->key || !keyed->name)
		keyed--;
	set(json, keyed, object);
	for (col++; !col->name && col->key; col++)
		set(json, col, object);
}

json_t *out_json(const struct out_col *table, const struct out_view *view, const void *object)
{
	json_t *json = json_object();

	for (size_t i = 0; view && i < view->count; i++)
		set_chosen(json, table, view->cols[i], object);
	for (; !view && !is_end(table); table = next_of(table))
		set(json, table, object);
	return json;
}

json_t *out_json_list(const struct out_col *table, const void *objects, size_t count, size_t size)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array,
				      out_json(table, NULL, (const char *)objects + i * size));
	return array;
}

/* Indented for people, not for programs. */
static bool is_indented(bool is_repeated)
{
	return !is_repeated && isatty(STDOUT_FILENO);
}

/* Return: memory to be freed. */
static char *dump(json_t *json, bool is_read)
{
	size_t layout = is_read ? JSON_INDENT(2) : JSON_COMPACT;
	char *dumped = json_dumps(json, layout | JSON_ENSURE_ASCII);

	json_decref(json);
	if (!dumped)
		memory_end();
	return dumped;
}

void out_json_document(struct out_text *text, json_t *doc, bool is_repeated)
{
	char *dumped AUTO_FREE = dump(doc, is_indented(is_repeated));

	out_str(text, dumped);
	out_char(text, '\n');
}

int out_print_json(json_t *doc, struct smc_err *err)
{
	struct out_text text = { 0 };

	out_json_document(&text, doc, false);
	return out_finish(&text, err);
}

void out_json_member(struct out_text *members, json_t *value, bool is_repeated)
{
	bool is_read = is_indented(is_repeated);
	char *dumped AUTO_FREE = dump(value, is_read), *rest = dumped, *line;

	if (members->len)
		out_char(members, ',');
	/* Indent each line by the depth of the enclosing list. */
	while ((line = strsep(&rest, "\n"))) {
		if (is_read)
			out_str(members, "\n    ");
		out_str(members, line);
	}
}

void out_json_long_document(struct out_text *text, json_t *doc, const struct out_text *members,
			    bool is_repeated)
{
	bool is_read = is_indented(is_repeated);
	char *dumped AUTO_FREE = dump(doc, is_read), *end = strrchr(dumped, ']');

	out_mem(text, dumped, (size_t)(end - dumped));
	out_mem(text, members->data, members->len);
	if (members->len && is_read)
		out_str(text, "\n  ");
	out_str(text, end);
	out_char(text, '\n');
}

json_t *out_json_string(const char *str, size_t len)
{
	struct out_text text AUTO(out_free) = { 0 };
	json_t *json;

	len = strnlen(str, len);
	json = json_stringn(str, len);
	if (json)
		return json;
	out_escaped(&text, str, len);
	return json_stringn(text.data, text.len);
}

json_t *out_json_str(const char *str)
{
	return out_json_string(str, strlen(str));
}

json_t *out_json_hex(uint64_t value, int digits)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%0*" PRIx64, digits, value);
	return json_string(hex);
}
